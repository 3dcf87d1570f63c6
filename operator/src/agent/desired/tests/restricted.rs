//! The Pod Security Standard `restricted`, and what we promise beyond it, as a list of violations.

use asyncai_crds::contract::{AGENT_CONTAINER, SERVICE_ACCOUNT_DIR};
use k8s_openapi::api::core::v1::{Container, PodSpec, Volume};

/// What is wrong with a pod.
pub(super) fn violations(pod: &PodSpec) -> Vec<String> {
    let mut found = Vec::new();
    let mut must = |holds: bool, what: &str| {
        if !holds {
            found.push(what.to_owned());
        }
    };
    let context = pod.security_context.clone().unwrap_or_default();
    must(context.run_as_non_root == Some(true), "runAsNonRoot");
    must(context.run_as_user.is_some_and(|user| user > 0), "runAsUser");
    must(context.seccomp_profile.is_some_and(|profile| profile.type_ == "RuntimeDefault"), "seccompProfile");
    must(context.sysctls.is_none() && context.windows_options.is_none(), "sysctls");
    for (name, host) in [("hostNetwork", pod.host_network), ("hostPID", pod.host_pid), ("hostIPC", pod.host_ipc)] {
        must(host != Some(true), name);
    }
    must(pod.automount_service_account_token == Some(false), "automountServiceAccountToken");
    must(pod.share_process_namespace != Some(true), "shareProcessNamespace");
    let volumes = pod.volumes.as_deref().unwrap_or_default();
    must(volumes.iter().all(safe), "volume kinds");
    must(unique(volumes.iter().map(|volume| volume.name.as_str())), "volume names");
    for container in pod.init_containers.iter().flatten().chain(&pod.containers) {
        must(hardened(container), "container security context");
        let mounts = container.volume_mounts.as_deref().unwrap_or_default();
        must(unique(mounts.iter().map(|mount| mount.mount_path.as_str())), "mount paths");
        must(unique(container.env.iter().flatten().map(|env| env.name.as_str())), "env names");
        let identity = mounts.iter().any(|mount| mount.mount_path == SERVICE_ACCOUNT_DIR);
        must(identity == (container.name == AGENT_CONTAINER), "the token is the agent's alone");
    }
    found
}

fn hardened(container: &Container) -> bool {
    let context = container.security_context.clone().unwrap_or_default();
    let capabilities = context.capabilities.unwrap_or_default();
    context.allow_privilege_escalation == Some(false)
        && context.read_only_root_filesystem == Some(true)
        && context.privileged != Some(true)
        && context.run_as_user.is_none()
        && context.run_as_non_root != Some(false)
        && context.proc_mount.is_none()
        && context.seccomp_profile.is_none()
        && capabilities.add.is_none()
        && capabilities.drop.is_some_and(|drop| drop == ["ALL"])
        && container.ports.iter().flatten().all(|port| port.host_port.is_none())
        && container.lifecycle.is_none()
}

/// By what remains when the allowed kinds are taken away.
fn safe(volume: &Volume) -> bool {
    let rest = Volume {
        config_map: None,
        secret: None,
        empty_dir: None,
        projected: None,
        persistent_volume_claim: None,
        ..volume.clone()
    };
    rest == Volume { name: volume.name.clone(), ..Volume::default() }
}

fn unique<'a>(names: impl Iterator<Item = &'a str>) -> bool {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
}
