//! Arguments and the schemas they must fit.

use serde_json::json;

use super::*;

fn call(schema: Value, args: Value, kwargs: Value) -> String {
    let (Value::Object(schema), Value::Array(args), Value::Object(kwargs)) = (schema, args, kwargs) else {
        panic!("a schema, a list and a dict")
    };
    let function = Function { server: None, name: "f".to_owned(), description: None, schema, read_only: true };
    match bind("f", &function, args, kwargs) {
        Ok(bound) => Value::Object(bound).to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn positions_are_the_required_ones_first() {
    let schema = json!({"properties": {"a": {}, "b": {}, "z": {}, "y": {}}, "required": ["z", "y"]});
    assert_eq!(call(schema.clone(), json!([1, 2, 3]), json!({"b": 4})), r#"{"a":3,"b":4,"y":2,"z":1}"#);
    assert_eq!(
        call(schema, json!([1, 2, 3, 4, 5]), json!({})),
        "TypeError: f() takes at most 4 arguments, 5 were given; it takes z (any), y (any), a (any, optional), b (any, optional)"
    );
}

#[test]
fn types_are_checked() {
    let of = |kind: Value, value: Value| call(json!({"properties": {"a": {"type": kind}}}), json!([value]), json!({}));
    assert_eq!(of(json!("integer"), json!(3.0)), r#"{"a":3.0}"#);
    assert_eq!(of(json!("integer"), json!(3.5)), "TypeError: f() argument 'a' must be int, not float");
    assert_eq!(of(json!("number"), json!(3)), r#"{"a":3}"#);
    assert_eq!(of(json!("integer"), json!(true)), "TypeError: f() argument 'a' must be int, not bool");
    assert_eq!(of(json!(["array", "object"]), json!("x")), "TypeError: f() argument 'a' must be list | dict, not str");
    assert_eq!(of(json!("string"), json!(null)), "{}");
    assert_eq!(of(json!(["string", "null"]), json!(null)), r#"{"a":null}"#);
    let either = json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}});
    assert_eq!(call(either, json!([1]), json!({})), "TypeError: f() argument 'a' must be str | None, not int");
    let unknown = json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/x"}]}}});
    assert_eq!(call(unknown, json!([1]), json!({})), r#"{"a":1}"#);
    let choice = json!({"properties": {"a": {"enum": ["x", "y"]}}});
    assert_eq!(
        call(choice, json!(["z"]), json!({})),
        r#"TypeError: f() argument 'a' must be one of "x", "y", not "z""#
    );
}

#[test]
fn keywords_are_those_of_python() {
    let schema = json!({"properties": {"from": {}, "my-arg": {}}, "required": ["from"]});
    assert_eq!(call(schema.clone(), json!([]), json!({"from_": 1, "my_arg": 2})), r#"{"from":1,"my-arg":2}"#);
    assert_eq!(
        call(schema, json!([]), json!({})),
        "TypeError: f() misses the argument from_; it takes from_ (any), my_arg (any, optional)"
    );
}

#[test]
fn further_arguments_only_where_the_schema_says_so() {
    let closed = json!({"type": "object"});
    assert_eq!(call(closed, json!([]), json!({"a": 1})), "TypeError: f() has no argument 'a'; it takes none");
    assert_eq!(call(json!({"additionalProperties": true}), json!([]), json!({"a": 1})), r#"{"a":1}"#);
}
