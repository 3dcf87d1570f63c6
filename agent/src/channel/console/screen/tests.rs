//! Tests of what the screen prints.

use super::*;

#[test]
fn nothing_of_what_is_said_is_a_command_to_the_terminal() {
    let screen = Screen::default();
    let (printer, lines) = mpsc::channel();
    let (_, is_printed) = mpsc::channel();
    screen.attach(Printer { texts: printer, is_printed });
    screen.delta(1, "a\x1b[2J\nb");
    screen.reply("a\x1b[2J\nb\u{9b}0m");
    writeln!(&mut screen.clone(), "# get: \x1b]0;title\x07").unwrap();
    screen.clone().flush().unwrap();
    let expected = ["a\\u001b[2J\n", "b\\u009b0m\n", "# get: \\u001b]0;title\\u0007\n"];
    assert_eq!(lines.try_iter().collect::<Vec<_>>(), expected);
}
