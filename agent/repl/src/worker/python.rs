//! Runs the interpreter from one of its suspensions to the next, and does what it asks for.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use monty::{
    MontyRepl, ReplFunctionCall, ReplNameLookup, ReplProgress, ReplResolveFutures, ReplStartError, builtin_module_names,
};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, MontyUuid, NameLookupResult,
    OsFunctionCall, OsPolicy, ResourceLimits, ResourceTracker, SleepMode,
};
use serde_json::Map;

use crate::call::{CallError, Exception};
use crate::convert::{from_json, to_json};
use crate::identifier::did_you_mean;
use crate::wire::{ARGUMENTS, Asked, Most, Names};
use crate::worker::io::{Answer, Io};
use crate::worker::printed::Printed;

/// The function by which a filter's loop gets its next event.
pub(super) const NEXT: &str = "__asyncai_next";

/// What is answered by the host without being a tool.
const OURS: &[&str] = &["list_tools", "tool_help"];

/// Where the interpreter stands.
pub(super) type Progress = Result<ReplProgress, Box<ReplStartError>>;

/// Why it came back.
pub(super) enum Stop {
    /// The filter's loop wants its next event.
    Next(Box<ReplFunctionCall>),
    /// The source has ended.
    End { repl: Box<MontyRepl>, result: Result<MontyObject, MontyException> },
}

/// One run: until when, and which of its calls are awaited.
pub(super) struct Run<'a> {
    pub(super) io: &'a mut Io,
    pub(super) printed: &'a mut Printed,
    /// The calls whose values are awaited, by the source's name and their place in it.
    pub(super) awaited: &'a HashMap<String, HashSet<(u32, u32)>>,
    until: Instant,
    most: Most,
    /// How many calls there were.
    calls: usize,
}

/// An interpreter with nothing in its scope.
pub(super) fn interpreter(memory: usize) -> MontyRepl {
    let limits = ResourceLimits::default().max_memory(memory);
    // A sleep comes to us and is refused: nothing polls.
    let policy = OsPolicy { sleep: SleepMode::CallHost, ..OsPolicy::default() };
    MontyRepl::new("python", ResourceTracker::new(limits), CompileOptions::default()).with_os_policy(policy)
}

impl<'a> Run<'a> {
    pub(super) fn new(
        io: &'a mut Io,
        printed: &'a mut Printed,
        awaited: &'a HashMap<String, HashSet<(u32, u32)>>,
        most: Most,
    ) -> Self {
        let until = Instant::now() + Duration::from_millis(most.millis);
        Self { io, printed, awaited, until, most, calls: 0 }
    }

    /// The time that is left, to be set before the interpreter goes on.
    pub(super) fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    /// Runs on until the source ends or wants an event.
    pub(super) fn advance(&mut self, mut progress: Progress) -> Stop {
        loop {
            progress = match progress {
                Err(failed) => {
                    return Stop::End { repl: Box::new(failed.repl), result: Err(failed.error) };
                }
                Ok(ReplProgress::Complete { repl, value }) => return ended(repl, value),
                Ok(mut suspended) => {
                    suspended.tracker_mut().set_max_turn_duration(self.left());
                    match suspended {
                        ReplProgress::FunctionCall(call) if call.function_name == NEXT && call.object_id.is_none() => {
                            return Stop::Next(Box::new(call));
                        }
                        ReplProgress::FunctionCall(call) => self.function(call),
                        ReplProgress::NameLookup(lookup) => self.name(lookup),
                        ReplProgress::ResolveFutures(futures) => self.futures(futures),
                        ReplProgress::OsCall(call) => {
                            let answer = self.system(&call.function_call);
                            call.resume(answer, self.printed.writer())
                        }
                        ReplProgress::Complete { repl, value } => return ended(repl, value),
                    }
                }
            };
        }
    }

    fn function(&mut self, call: ReplFunctionCall) -> Progress {
        let name = match self.resolve(&call) {
            Ok(name) => name,
            Err(error) => return call.resume(error, self.printed.writer()),
        };
        let id = self.io.number();
        let asked = match asked(id, &name, &call) {
            Ok(asked) => asked,
            Err(error) => return call.resume(exception(&error), self.printed.writer()),
        };
        self.calls += 1;
        if self.calls > self.most.calls {
            // Not to be caught, or the flood would go on.
            return call.abort(exception(&self.most.too_many()), self.printed.writer());
        }
        if !self.io.call(asked) {
            let message = format!("the arguments have more than {} MB", ARGUMENTS >> 20);
            return call.resume(error(ExcType::ValueError, message), self.printed.writer());
        }
        let place = (call.position.start, call.position.end);
        if call.allow_eager_await
            || self.awaited.get(&call.position.filename).is_some_and(|calls| calls.contains(&place))
        {
            // The interpreter numbers its calls itself; ours are kept beside.
            self.io.futures.insert(call.call_id, id);
            return call.resume_pending(self.printed.writer());
        }
        let answer = self.io.wait(&[id]).into_iter().next().map(|(_, answer)| answer);
        call.resume(result(answer), self.printed.writer())
    }

    fn futures(&mut self, futures: ReplResolveFutures) -> Progress {
        let ids: Vec<(u32, u32)> =
            futures.pending_call_ids().iter().filter_map(|call| Some((*self.io.futures.get(call)?, *call))).collect();
        let wanted: Vec<u32> = ids.iter().map(|(id, _)| *id).collect();
        if wanted.is_empty() {
            let error = CallError::new(Exception::RuntimeError, "nothing is left to wait for");
            return futures.abort(exception(&error), self.printed.writer());
        }
        let calls: HashMap<u32, u32> = ids.into_iter().collect();
        let mut results = Vec::new();
        for (id, answer) in self.io.wait(&wanted) {
            if let Some(call) = calls.get(&id) {
                self.io.futures.remove(call);
                results.push((*call, result(Some(answer))));
            }
        }
        futures.resume(results, self.printed.writer())
    }

    /// A name that Python has not: a function, an object with functions, or nothing.
    fn name(&mut self, lookup: ReplNameLookup) -> Progress {
        let names = &self.io.names;
        let value = if let Some(object) = lookup.object_id() {
            group(names, object)
                .filter(|(_, methods)| methods.contains(&lookup.name))
                .map(|(group, _)| function(format!("{group}.{}", lookup.name)))
        } else if names.functions.contains(&lookup.name) || OURS.contains(&lookup.name.as_str()) {
            Some(function(lookup.name.clone()))
        } else if names.groups.iter().any(|(group, _)| *group == lookup.name) {
            Some(object(&lookup.name))
        } else {
            let error = self.undefined(&lookup.name);
            return lookup.resume(NameLookupResult::Error(error), self.printed.writer());
        };
        lookup.resume(value.into(), self.printed.writer())
    }

    /// The function that is called, by path or bare name.
    fn resolve(&self, call: &ReplFunctionCall) -> Result<String, MontyException> {
        let (names, name) = (&self.io.names, &call.function_name);
        let Some(object) = call.object_id else {
            let known = match name.split_once('.') {
                Some((group, method)) => {
                    names.groups.iter().any(|(name, methods)| name == group && methods.iter().any(|m| m == method))
                }
                None => names.functions.contains(name) || OURS.contains(&name.as_str()),
            };
            return if known { Ok(name.clone()) } else { Err(self.undefined(name)) };
        };
        let Some((group, methods)) = group(names, object) else {
            return Err(error(ExcType::RuntimeError, "this server is not connected any more".to_owned()));
        };
        if methods.contains(name) {
            return Ok(format!("{group}.{name}"));
        }
        let close = did_you_mean(name, methods.iter().map(String::as_str));
        Err(error(ExcType::AttributeError, format!("'{group}' has no function '{name}'{close}")))
    }

    /// What the system would do: there is none. A server can be imported, though it need not be.
    fn system(&self, call: &OsFunctionCall) -> ExtFunctionResult {
        let message = match call {
            OsFunctionCall::Import(name) => {
                if self.io.names.groups.iter().any(|(group, _)| group == name) {
                    return ExtFunctionResult::Return(object(name));
                }
                let (known, close) = (builtin_module_names(), did_you_mean(name, builtin_module_names().into_iter()));
                let message = format!("No module named '{name}'{close}; there are {}", known.join(", "));
                return ExtFunctionResult::Error(error(ExcType::ModuleNotFoundError, message));
            }
            call if call.name().contains("sleep") => {
                "there is no sleep: what is to be waited for is watched".to_owned()
            }
            call => {
                let name = call.name();
                format!("{name} is not available: there are no files, no environment, no processes and no network")
            }
        };
        ExtFunctionResult::Error(error(ExcType::PermissionError, message))
    }

    fn undefined(&self, name: &str) -> MontyException {
        let groups = self.io.names.groups.iter().map(|(group, _)| group);
        let known = self.io.scope.iter().chain(&self.io.names.functions).chain(groups).map(String::as_str);
        let close = did_you_mean(name, known.chain(OURS.iter().copied()));
        error(ExcType::NameError, format!("name '{name}' is not defined{close}"))
    }
}

fn ended(repl: MontyRepl, value: MontyObject) -> Stop {
    Stop::End { repl: Box::new(repl), result: Ok(value) }
}

fn asked(id: u32, name: &str, call: &ReplFunctionCall) -> Result<Asked, CallError> {
    let wrong = |what: String, why: String| {
        let message = format!("{name}() cannot take argument {what}: it is {why}, not data");
        CallError::new(Exception::TypeError, message)
    };
    let mut args = Vec::new();
    for (n, value) in call.args.args().enumerate() {
        args.push(to_json(value).map_err(|why| wrong((n + 1).to_string(), why))?);
    }
    let mut kwargs = Map::new();
    for (key, value) in call.args.kwargs() {
        let key = key.as_str().unwrap_or_default();
        kwargs.insert(key.to_owned(), to_json(value).map_err(|why| wrong(format!("'{key}'"), why))?);
    }
    Ok(Asked { id, name: name.to_owned(), args, kwargs })
}

fn result(answer: Option<Answer>) -> ExtFunctionResult {
    match answer {
        Some(Answer::Value(json)) => match from_json(json.get()) {
            Ok(value) => ExtFunctionResult::Return(value),
            Err(why) => {
                ExtFunctionResult::Error(error(ExcType::ValueError, format!("the answer cannot be read: {why}")))
            }
        },
        Some(Answer::Failed(failed)) => ExtFunctionResult::Error(exception(&failed)),
        None => ExtFunctionResult::Error(error(ExcType::RuntimeError, "there is no answer".to_owned())),
    }
}

fn error(kind: ExcType, message: String) -> MontyException {
    MontyException::new(kind, Some(message))
}

fn exception(failed: &CallError) -> MontyException {
    let kind = match failed.exception {
        Exception::RuntimeError => ExcType::RuntimeError,
        Exception::ValueError => ExcType::ValueError,
        Exception::PermissionError => ExcType::PermissionError,
        Exception::TypeError => ExcType::TypeError,
        Exception::TimeoutError => ExcType::TimeoutError,
    };
    error(kind, failed.message.clone())
}

fn function(name: String) -> MontyObject {
    MontyObject::function(name, None)
}

/// The objects that stand for servers are known by their names, which stay when others come and go.
const GROUPS: u128 = 0xa5fa_c000_0000_4000_8000_0000_0000_0000;

fn object(name: &str) -> MontyObject {
    let id = identity(name);
    let class = MontyObject::class_type(name, MontyUuid::from_u128(id ^ (1 << 96)), true, false, []);
    MontyObject::class_instance(class, MontyUuid::from_u128(id), [])
}

fn identity(name: &str) -> u128 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    GROUPS ^ u128::from(hasher.finish())
}

fn group(names: &Names, object: MontyUuid) -> Option<&(String, Vec<String>)> {
    let id = u128::from_be_bytes(*object.as_bytes());
    names.groups.iter().find(|(group, _)| identity(group) == id)
}
