//! The chart's definitions are those of the types, bounded and documented; the table of objects gets its verdicts.

use std::{collections::BTreeSet, fs, path::Path};

use asyncai_crds::{
    schema::{self, Target},
    validate::{Finding, Object, Validator},
};
use serde::Deserialize;
use serde_json::Value;

/// Above this, `kubectl apply` cannot note the object in an annotation.
const MAX_BYTES: usize = 262_144;

#[derive(Deserialize)]
struct Table {
    valid: Vec<Case>,
    invalid: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(rename = "case")]
    name: String,
    object: Value,
    before: Option<Value>,
    offline: Option<String>,
    #[serde(rename = "server")]
    _server: Option<String>,
    #[serde(rename = "subresource")]
    _subresource: Option<String>,
}

impl Case {
    fn check(&self, validator: &Validator) -> Result<Object, Vec<Finding>> {
        match &self.before {
            Some(before) => {
                validator.create(before).unwrap_or_else(|findings| panic!("{}: before: {findings:?}", self.name));
                validator.update(&self.object, before)
            }
            None => validator.create(&self.object),
        }
    }
}

fn table() -> Table {
    serde_saphyr::from_str(include_str!("table.yaml")).unwrap_or_else(|error| panic!("table.yaml: {error}"))
}

#[test]
fn the_chart_has_what_crdgen_writes() {
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../charts/asyncai-crds/templates");
    for (plural, manifest) in schema::manifests(Target::Helm).unwrap() {
        let path = templates.join(plural).with_extension("yaml");
        let committed = fs::read_to_string(&path).unwrap();
        assert!(committed == manifest, "{} is stale: cargo run -p asyncai-crds --bin crdgen", path.display());
        assert!(manifest.len() < MAX_BYTES, "{plural}: {} bytes", manifest.len());
    }
}

#[test]
fn the_yaml_says_what_the_types_say() {
    for ((plural, manifest), (_, crd)) in schema::manifests(Target::Kubectl).unwrap().iter().zip(schema::crds()) {
        let read: Value = serde_saphyr::from_str(manifest).unwrap();
        assert_eq!(read["spec"], crd["spec"], "{plural}");
        assert_eq!(read["metadata"]["name"], crd["metadata"]["name"]);
        assert!(!manifest.contains("{{"), "{plural}: Helm would take it for a template");
    }
}

#[test]
fn every_value_is_bounded_and_every_field_described() {
    for (plural, crd) in schema::crds() {
        assert_eq!(schema::lint(schema::openapi(&crd)), Vec::<String>::new(), "{plural}");
    }
}

#[test]
fn the_lint_finds_what_is_missing() {
    let schema = serde_json::json!({ "type": "object", "properties": {
        "text": { "type": "string", "description": "" },
        "list": { "type": "array", "description": "A list.", "maxItems": 1, "items": { "type": "integer", "minimum": 0 } },
        "map": { "type": "object", "description": "A map.", "additionalProperties": { "type": "string", "maxLength": 1 } },
        "any": { "description": "Anything." }
    } });
    let expected = [
        ".any: no type",
        ".list: no x-kubernetes-list-type",
        ".list[]: no maximum",
        ".map: no maxProperties",
        ".text: no description",
        ".text: no maxLength",
    ];
    let mut missing = schema::lint(&schema);
    missing.sort();
    assert_eq!(missing, expected);
}

/// The offline check would pass over a keyword that it does not know.
#[test]
fn the_schemas_use_only_keywords_that_the_offline_check_knows() {
    const KNOWN: &[&str] = &[
        "additionalProperties",
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "pattern",
        "properties",
        "required",
        "type",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-validations",
    ];
    fn collect(
        schema: &Value,
        keywords: &mut BTreeSet<String>,
        patterns: &mut BTreeSet<String>,
        formats: &mut BTreeSet<String>,
    ) {
        let Some(fields) = schema.as_object() else { return };
        keywords.extend(fields.keys().cloned());
        patterns.extend(schema["pattern"].as_str().map(str::to_owned));
        formats.extend(schema["format"].as_str().map(str::to_owned));
        let below = schema["properties"].as_object().into_iter().flat_map(|properties| properties.values());
        for below in below.chain([&schema["items"], &schema["additionalProperties"]]) {
            collect(below, keywords, patterns, formats);
        }
    }
    let (mut keywords, mut patterns, mut formats) = Default::default();
    for (_, crd) in schema::crds() {
        collect(schema::openapi(&crd), &mut keywords, &mut patterns, &mut formats);
    }
    let unknown: Vec<_> = keywords.iter().filter(|keyword| !KNOWN.contains(&keyword.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    assert_eq!(formats.iter().map(String::as_str).collect::<Vec<_>>(), ["date-time", "int32", "int64"]);
    for pattern in &patterns {
        assert!(regex::Regex::new(pattern).is_ok(), "{pattern}");
        assert!(schema::pattern::meaning(pattern).is_some(), "{pattern} has no meaning for people");
    }
}

#[test]
fn the_rules_can_all_be_evaluated_offline() {
    for (plural, crd) in schema::crds() {
        let rules = kube::core::cel::compile_schema(schema::openapi(&crd));
        assert!(!rules.has_errors(), "{plural}: {:?}", rules.compilation_errors());
    }
}

#[test]
fn valid_objects_pass() {
    let validator = Validator::new();
    let Table { valid, .. } = table();
    assert!(valid.len() >= 12);
    for case in valid {
        if let Err(findings) = case.check(&validator) {
            panic!("{}: {findings:#?}", case.name);
        }
    }
}

/// A field that is in the schema and not in the types would be lost on the way to the agent.
#[test]
fn nothing_of_a_valid_object_is_lost() {
    fn kept(before: &Value, after: &Value, at: &str) {
        match before {
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| kept(value, &after[name], &format!("{at}.{name}")));
            }
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(i, item)| kept(item, &after[i], &format!("{at}[{i}]")));
            }
            // A quantity may be written as a number and is kept as text.
            Value::Number(number) if after.is_string() => assert_eq!(*after, number.to_string(), "{at}"),
            scalar => assert_eq!(scalar, after, "{at}"),
        }
    }
    let validator = Validator::new();
    for case in table().valid {
        let after = match case.check(&validator) {
            Ok(Object::Agent(agent)) => serde_json::to_value(agent),
            Ok(Object::Watch(watch)) => serde_json::to_value(watch),
            Err(findings) => panic!("{}: {findings:?}", case.name),
        };
        kept(&case.object, &after.unwrap(), &case.name);
    }
}

#[test]
fn invalid_objects_get_the_message_that_people_see() {
    let validator = Validator::new();
    let Table { invalid, .. } = table();
    assert!(invalid.len() >= 40);
    let mut wrong = Vec::new();
    for case in invalid {
        let expected = case.offline.as_deref().unwrap();
        match case.check(&validator) {
            Ok(_) => wrong.push(format!("{}: passed", case.name)),
            Err(findings) if findings.iter().any(|finding| finding.to_string().contains(expected)) => {}
            Err(findings) => {
                let told: Vec<_> = findings.iter().map(ToString::to_string).collect();
                wrong.push(format!("{}:\n  expected {expected}\n  told {told:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_case_has_a_name_of_its_own() {
    let Table { valid, invalid } = table();
    let mut seen = BTreeSet::new();
    for case in valid.iter().chain(&invalid) {
        assert!(seen.insert(&case.name), "{} is there twice", case.name);
    }
}
