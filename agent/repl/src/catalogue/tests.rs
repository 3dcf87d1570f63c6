//! How functions get the names that Python calls them by.

use super::*;

fn function(server: &str, name: &str) -> Function {
    Function {
        server: (!server.is_empty()).then(|| server.to_owned()),
        name: name.to_owned(),
        description: None,
        schema: Map::new(),
        read_only: true,
    }
}

fn names(functions: &[(&str, &str)]) -> String {
    let catalogue = Catalogue::new(functions.iter().map(|(server, name)| function(server, name)));
    let paths: Vec<&str> = catalogue.paths().map(|(path, _)| path).collect();
    let bare: Vec<&str> = catalogue.bare().collect();
    format!("{} | {}", paths.join(" "), bare.join(" "))
}

#[test]
fn a_tool_has_its_path_and_its_bare_name() {
    assert_eq!(names(&[("kcp", "get_resource")]), "kcp.get_resource | get_resource");
}

#[test]
fn a_bare_name_is_for_one_only() {
    assert_eq!(names(&[("a", "get"), ("b", "get"), ("b", "put")]), "a.get b.get b.put | put");
    assert_eq!(names(&[("", "watch_list"), ("a", "watch_list")]), "a.watch_list watch_list | watch_list");
    assert_eq!(names(&[("logs", "x"), ("kcp", "logs")]), "kcp.logs logs.x | x");
}

#[test]
fn builtins_of_python_are_not_hidden() {
    assert_eq!(names(&[("a", "filter"), ("a", "list"), ("a", "event")]), "a.event a.filter a.list | ");
}

#[test]
fn other_names_become_names_of_python() {
    assert_eq!(
        names(&[("git-hub", "my-tool"), ("git-hub", "class")]),
        "git_hub.class_ git_hub.my_tool | class_ my_tool"
    );
    assert_eq!(names(&[("1st", "2nd.x")]), "x_1st.x_2nd_x | x_2nd_x");
    assert_eq!(names(&[("ü", "ß")]), "x_.x_ | ");
}

#[test]
fn collisions_get_a_number_whatever_the_order() {
    let one = names(&[("a-b", "x-y"), ("a_b", "x"), ("a-b", "x_y")]);
    let other = names(&[("a-b", "x_y"), ("a_b", "x"), ("a-b", "x-y")]);
    assert_eq!(one, "a_b.x_y a_b.x_y_2 a_b_2.x | x x_y x_y_2");
    assert_eq!(one, other);
}
