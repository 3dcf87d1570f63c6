//! Tests of logging in by SASL, against InspIRCd with the services of Atheme.

use tokio::io::AsyncRead;

use super::*;

/// What a module of Atheme needs is loaded before it, since it looks for that where Debian installs it.
const MODULES: &[&str] = &[
    "transport/rfc1459",
    "transport/p10",
    "backend/corestorage",
    "backend/opensex",
    "protocol/base36uid",
    "protocol/inspircd",
    "crypto/rawsha1",
    "nickserv/main",
    "saslserv/main",
    "saslserv/plain",
];

/// The account of the agent. Atheme replaces the password by a hash of it.
const ACCOUNTS: &str = "GRVER 1\nDBV 12\nMU AAAAAAAAB alice s3cret alice@example.com 1700000000 1700000000 +sb default\n\
                        MN alice alice 1700000000 1700000000\n";

/// A server and its services.
struct Network {
    port: u16,
    _settings: TempDir,
    _children: [Child; 2],
}

impl Network {
    async fn start(folder: PathBuf) -> Self {
        let (port, services_port) = (free_port(), free_port());
        let settings = tempfile::tempdir().unwrap();
        let path = settings.path().display().to_string();
        let server = format!(
            "<server name=\"irc.test\" description=\"test\" network=\"test\" id=\"1AA\">\n\
             <admin name=\"a\" nick=\"a\" email=\"a@example.com\">\n\
             <bind address=\"127.0.0.1\" port=\"{port}\" type=\"clients\">\n\
             <bind address=\"127.0.0.1\" port=\"{services_port}\" type=\"servers\">\n\
             <connect allow=\"*\" timeout=\"60\" threshold=\"100\" recvq=\"8192\" resolvehostnames=\"no\">\n\
             <module name=\"cap\"><module name=\"sasl\"><module name=\"spanningtree\">\n\
             <module name=\"services_account\"><sasl target=\"services.test\"><uline server=\"services.test\">\n\
             <link name=\"services.test\" ipaddr=\"127.0.0.1\" port=\"{services_port}\" allowmask=\"127.0.0.1\" \
             sendpass=\"link\" recvpass=\"link\">\n\
             <path configdir=\"{path}\" datadir=\"{path}\" logdir=\"{path}\" runtimedir=\"{path}\" \
             moduledir=\"{}/inspircd-modules\">\n<pid file=\"{path}/inspircd.pid\">\n",
            folder.display()
        );
        let modules =
            MODULES.iter().map(|name| format!("loadmodule \"{}/atheme-modules/{name}\";\n", folder.display()));
        let services = modules.collect::<String>()
            + "serverinfo { name = \"services.test\"; desc = \"s\"; numeric = \"00A\"; recontime = 1; netname = \"test\";\
               adminname = \"a\"; adminemail = \"a@example.com\"; registeremail = \"a@example.com\"; auth = none; };\n"
            + &format!(
                "uplink \"irc.test\" {{ host = \"127.0.0.1\"; port = {services_port}; send_password = \"link\"; \
                 receive_password = \"link\"; }};\n"
            )
            + "nickserv { nick = \"NickServ\"; }; saslserv { nick = \"SaslServ\"; };\n";
        fs::write(settings.path().join("inspircd.conf"), server).unwrap();
        fs::write(settings.path().join("atheme.conf"), services).unwrap();
        fs::write(settings.path().join("services.db"), ACCOUNTS).unwrap();

        let mut command = Command::new(folder.join("inspircd"));
        command.args(["--nofork", "--runasroot", &format!("--config={path}/inspircd.conf")]);
        let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
        says(server.stdout.take().unwrap(), "is now running").await;
        let mut command = Command::new(folder.join("atheme-services"));
        command.args(["-n", "-c", &format!("{path}/atheme.conf"), "-D", &path]);
        command.args(["-l", &format!("{path}/atheme.log"), "-p", &format!("{path}/atheme.pid")]);
        let mut services = command.stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        says(services.stderr.take().unwrap(), "finished synching").await;
        Self { port, _settings: settings, _children: [server, services] }
    }
}

/// Waits until a program says something, and then lets it talk.
async fn says(output: impl AsyncRead + Send + Unpin + 'static, what: &str) {
    let mut lines = BufReader::new(output).lines();
    let mut said = String::new();
    within(what, async {
        while !said.contains(what) {
            said += &lines.next_line().await.unwrap().unwrap_or_else(|| panic!("it ended and said: {said}"));
        }
    })
    .await;
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
}

#[tokio::test]
async fn a_password_is_the_one_of_the_account() {
    let Some(folder) = folder() else { return };
    let network = Network::start(folder).await;
    let mut agent = Agent::start(config(network.port, false, Some("wrong")));
    let said = agent.status(false, "SASL as \"alice\" was refused").await;
    assert!(!said.contains("wrong"), "{said}");
    agent.settings.send(config(network.port, false, Some("s3cret"))).unwrap();
    agent.status(true, "").await;
}
