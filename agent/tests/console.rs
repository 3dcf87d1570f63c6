//! The terminal as people use it: the built program on a pseudo-terminal.

#![expect(clippy::unwrap_used, reason = "a test may panic, in its helpers too")]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{self, OpenptFlags};
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(30);

const MANIFEST: &str = "
apiVersion: asyncai.dev/v1alpha1
kind: Agent
metadata: {name: memo}
spec:
  model: {provider: Relay}
  mcpServers: [{name: memo, simple: {}}]
---
apiVersion: asyncai.dev/v1alpha1
kind: Watch
metadata: {name: notes}
spec: {agentRef: {name: memo}, uri: 'memo://notes', debounceSeconds: 2}
";

/// The program, its terminal, and what is on that.
struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<String>,
    seen: String,
    folder: TempDir,
}

impl Terminal {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memo.yaml");
        fs::write(&file, MANIFEST).unwrap();
        let master = pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        pty::grantpt(&master).unwrap();
        pty::unlockpt(&master).unwrap();
        let name = pty::ptsname(&master, Vec::new()).unwrap();
        let slave =
            || -> OwnedFd { rustix::fs::open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap() };
        let mut command = Command::new(env!("CARGO_BIN_EXE_asyncai"));
        command.arg("run").arg("-f").arg(&file).arg("--state-dir").arg(folder.path().join("state"));
        command.env("TERM", "xterm").env("RUST_LOG", "off");
        let child = command.stdin(slave()).stdout(slave()).stderr(slave()).spawn().unwrap();
        // Or else this process would hold the terminal open beyond the end of the program.
        drop(command);
        let mut output = File::from(master.try_clone().unwrap());
        let (send, screen) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut bytes) {
                if send.send(String::from_utf8_lossy(&bytes[..read]).into_owned()).is_err() {
                    return;
                }
            }
        });
        Self { child, keys: File::from(master), screen, seen: String::new(), folder }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `text` is on the screen, after what was waited for before.
    fn shows(&mut self, text: &str) {
        while !self.seen.contains(text) {
            let Ok(more) = self.screen.recv_timeout(LIMIT) else { panic!("no {text:?} in {:?}", self.seen) };
            self.seen += &more;
        }
        self.seen = self.seen.split_once(text).unwrap().1.to_owned();
    }

    fn ends(mut self) -> i32 {
        // The output ends with the program; what is left of it must not hold it up.
        while self.screen.recv_timeout(LIMIT).is_ok() {}
        self.child.wait().unwrap().code().unwrap()
    }

    fn history(&self) -> String {
        fs::read_to_string(self.folder.path().join("state/history")).unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_line_is_edited_and_what_comes_meanwhile_leaves_it_whole() {
    let mut terminal = Terminal::start();
    terminal.shows("> ");
    // A typo, and back over it.
    terminal.press("/call memo memo_sat\u{7f}\u{7f}et {\"key\":\"todo\",\"value\":\"milk\"}\r");
    terminal.shows("{\"changed\":true}");
    terminal.press("/he");
    terminal.shows("notes: ADDED todo");
    terminal.shows("> /he");
    terminal.press("lp\r");
    terminal.shows("/servers");
    // The line before the last one.
    terminal.press("\u{1b}[A\u{1b}[A");
    terminal.shows("memo_set");
    terminal.press("\u{15}");
    assert!(terminal.history().contains("/help"));
    terminal.press("\u{4}");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn an_interrupt_ends_in_order() {
    let mut terminal = Terminal::start();
    terminal.shows("> ");
    terminal.press("half a li\u{3}");
    terminal.shows("# ending in order");
    assert_eq!(terminal.ends(), 0);
}
