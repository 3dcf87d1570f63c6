//! Tests of lines that are read from a pipe.

use super::*;

/// What the agent hears of `input`, which then ends.
async fn heard(input: &[u8]) -> Vec<Line> {
    let (events, mut queue) = mpsc::channel(16);
    read(input, events).await;
    let mut lines = Vec::new();
    while let Some(event) = queue.recv().await {
        match event {
            Event::Console(line) => lines.push(line),
            Event::ConsoleClosed => return lines,
            _ => panic!("that is no input"),
        }
    }
    panic!("the end is not told");
}

fn message(text: &str) -> Line {
    Line::Message(text.to_owned())
}

#[tokio::test]
async fn a_line_that_is_no_utf_8_is_said_and_the_next_one_heard() {
    let lines = heard(b"one\r\n\n  \ncaf\xe9\n /servers\nlast").await;
    let wrong = Line::Wrong("a line is left out, since it is no UTF-8 from byte 4 on".to_owned());
    assert_eq!(lines, [message("one"), wrong, Line::Servers, message("last")]);
    assert!(matches!(heard(b"\xff").await[..], [Line::Wrong(_)]), "without a line break either");
}

#[tokio::test]
async fn a_line_that_is_too_long_is_said_and_the_next_one_heard() {
    let longest = "x".repeat(usize::try_from(LONGEST).unwrap());
    let lines = heard(format!("{longest}\n{longest}x\n{longest}{longest}{longest}\nnext\n{longest}y").as_bytes()).await;
    assert_eq!(lines.len(), 5);
    assert_eq!((&lines[0], &lines[3]), (&message(&longest), &message("next")));
    for wrong in [&lines[1], &lines[2], &lines[4]] {
        assert_eq!(*wrong, Line::Wrong("a line was longer than 1048576 bytes and is left out".to_owned()));
    }
}
