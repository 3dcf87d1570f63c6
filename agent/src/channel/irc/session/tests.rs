//! Transcripts of a connection: `>` what the server says, `<` what is sent, `!` what is told.

use super::*;
use crate::channel::spec::Secret;

fn config(password: Option<&str>) -> Config {
    Config {
        server: "irc".to_owned(),
        port: 6697,
        tls: true,
        nick: "alice".to_owned(),
        channel: "#ops".to_owned(),
        password: Ok(password.map(|password| Secret(password.to_owned()))),
    }
}

/// Plays what the server says and compares all of it.
fn check(password: Option<&str>, transcript: &str) {
    let mut session = Session::new(config(password));
    let mut told = told(&mut session);
    for line in transcript.lines().map(str::trim) {
        if let Some(said) = line.strip_prefix("> ") {
            told.push(line.to_owned());
            session.line(&format!("{said}\r\n"));
            told.extend(self::told(&mut session));
        }
    }
    let expected = transcript.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    assert_eq!(told, expected);
}

fn told(session: &mut Session) -> Vec<String> {
    std::iter::from_fn(|| session.poll())
        .map(|output| match output {
            Output::Send(line) => format!("< {line}"),
            output => format!("! {output:?}"),
        })
        .collect()
}

#[test]
fn without_a_password_a_name_is_enough() {
    check(
        None,
        "< NICK alice
         < USER alice 0 * :asyncai agent alice
         > :irc 001 alice :Welcome
         < JOIN #ops
         > :alice!~alice@host JOIN :#ops
         ! Joined",
    );
}

#[test]
fn a_password_goes_by_sasl_where_the_server_knows_it() {
    check(
        Some("secret"),
        "< CAP LS 302
         > :irc CAP * LS * :multi-prefix away-notify
         > :irc CAP * LS :server-time sasl=EXTERNAL,PLAIN
         < CAP REQ :sasl
         < NICK alice
         < USER alice 0 * :asyncai agent alice
         > :irc CAP alice ACK :sasl
         < AUTHENTICATE PLAIN
         > AUTHENTICATE +
         < AUTHENTICATE YWxpY2UAYWxpY2UAc2VjcmV0
         > :irc 900 alice alice!~alice@host alice :You are now logged in as alice
         > :irc 903 alice :SASL authentication successful
         < CAP END
         > :irc 001 alice :Welcome
         < JOIN #ops",
    );
}

#[test]
fn a_password_goes_to_the_server_where_it_knows_no_sasl() {
    for capabilities in ["> :irc CAP * LS :multi-prefix", "> :irc CAP * LS :sasl=EXTERNAL", "> :irc 421 * CAP :Unknown"]
    {
        check(
            Some("secret"),
            &format!(
                "< CAP LS 302
                 {capabilities}
                 < PASS :secret
                 < NICK alice
                 < USER alice 0 * :asyncai agent alice
                 < CAP END"
            ),
        );
    }
}

#[test]
fn a_long_password_is_sent_in_pieces() {
    let mut session = Session::new(config(Some(&"x".repeat(300))));
    session.line(":irc CAP * LS :sasl");
    told(&mut session);
    session.line("AUTHENTICATE +");
    let pieces = told(&mut session);
    assert_eq!(pieces.iter().map(|piece| piece.len() - "< AUTHENTICATE ".len()).collect::<Vec<_>>(), [400, 16]);
    let mut session = Session::new(config(Some(&"x".repeat(288))));
    session.line(":irc CAP * LS :sasl");
    told(&mut session);
    session.line("AUTHENTICATE +");
    assert_eq!(told(&mut session)[1], "< AUTHENTICATE +", "a piece of full length is not the last");
}

#[test]
fn a_refused_password_says_which_way_it_was_sent() {
    let refused = |password, lines: &[&str]| {
        let mut session = Session::new(config(password));
        for line in lines {
            session.line(line);
        }
        told(&mut session).pop().unwrap()
    };
    let sasl = [":irc CAP * LS :sasl", ":irc CAP a ACK :sasl", "AUTHENTICATE +", ":irc 904 alice :SASL failed"];
    assert_eq!(refused(Some("s"), &sasl), "! End(\"SASL as \\\"alice\\\" was refused: SASL failed\")");
    let pass = [":irc CAP * LS :", ":irc 464 * :Bad password"];
    assert_eq!(refused(Some("s"), &pass), "! End(\"the server refused the password (PASS): Bad password\")");
    let none = refused(None, &[":irc 464 * :Password required"]);
    assert!(none.contains("there is no passwordSecretRef"), "{none}");
    assert!(refused(Some("a\rQUIT"), &[]).contains("control characters"));
}

#[test]
fn a_nick_that_is_taken_gets_a_line_after_it_until_it_is_free() {
    check(
        None,
        "< NICK alice
         < USER alice 0 * :asyncai agent alice
         > :irc 433 * alice :Nickname is already in use
         < NICK alice_
         > :irc 001 alice_ :Welcome
         < JOIN #ops
         > :alice_!~alice@host JOIN #ops
         ! Joined
         > :bob!b@host QUIT :bye
         > :alice!a@host QUIT :Ping timeout
         < NICK alice
         > :alice_!~alice@host NICK :alice
         ! Joined
         > :bob!b@host PRIVMSG #ops :alice_: hi
         > :bob!b@host PRIVMSG #ops :alice: hi
         ! Heard { from: \"bob\", private: false, text: \"hi\" }",
    );
}

#[test]
fn only_so_many_nicks_are_tried() {
    let mut session = Session::new(config(None));
    for _ in 0..=OTHER_NICKS {
        session.line(":irc 433 * alice :Nickname is already in use");
    }
    assert!(told(&mut session).pop().unwrap().starts_with("! End(\"the nick"));
}

#[test]
fn who_is_not_addressed_is_not_heard() {
    check(
        None,
        "< NICK alice
         < USER alice 0 * :asyncai agent alice
         > :irc 001 alice :Welcome
         < JOIN #ops
         > :alice!~alice@host JOIN #ops
         ! Joined
         > :bob!b@host PRIVMSG #ops :hello alice
         > :bob!b@host NOTICE #ops :alice: hi
         > :bob!b@host PRIVMSG #dev :alice: hi
         > :alice!~alice@host PRIVMSG #ops :alice: hi
         > :irc.server PRIVMSG alice :hi
         > :bob!b@host PRIVMSG alice :\u{1}VERSION\u{1}
         > :bob!b@host PRIVMSG #OPS :Alice, how \u{2}are\u{2} you?
         ! Heard { from: \"bob\", private: false, text: \"how are you?\" }
         > @time=2026-11-30 :bob!b@host PRIVMSG Alice :just us
         ! Heard { from: \"bob\", private: true, text: \"just us\" }
         > :bob!b@host PRIVMSG alice :alice: just us
         ! Heard { from: \"bob\", private: true, text: \"just us\" }",
    );
}

#[test]
fn leaving_the_channel_is_told_with_the_reason() {
    check(
        None,
        "< NICK alice
         < USER alice 0 * :asyncai agent alice
         > :irc 001 alice :Welcome
         < JOIN #ops
         > :irc 474 alice #ops :Cannot join channel (+b)
         ! Left(\"cannot join #ops: Cannot join channel (+b)\")
         > :alice!~alice@host JOIN #ops
         ! Joined
         > :bob!b@host KICK #ops alice :enough
         ! Left(\"bob kicked us out of #ops: enough\")
         > :bob!b@host KICK #ops carol :enough
         > :irc 404 alice #ops :Cannot send to channel
         ! Refused(\"#ops: Cannot send to channel\")
         > ERROR :Closing link
         ! End(\"the server ended the connection: Closing link\")",
    );
}

#[test]
fn pings_are_answered_and_own_ones_are_confirmed() {
    check(
        None,
        "< NICK alice
         < USER alice 0 * :asyncai agent alice
         > PING :abc def
         < PONG :abc def
         > :irc PONG irc :said-1
         ! Confirmed(\"said-1\")
         > nonsense
         > :
         > @
         > 999999 alice",
    );
}
