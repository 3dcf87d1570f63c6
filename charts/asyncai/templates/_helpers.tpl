{{/* Name of the operator's objects. It begins with asyncai-operator, so it can never look like an agent's account. */}}
{{- define "asyncai.name" -}}
{{- if eq .Release.Name "asyncai" -}}
asyncai-operator
{{- else -}}
{{- printf "asyncai-operator-%s" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "asyncai.selector" -}}
app.kubernetes.io/name: asyncai-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "asyncai.labels" -}}
{{ include "asyncai.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "asyncai.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "asyncai.subject" -}}
kind: ServiceAccount
name: {{ include "asyncai.name" . }}
namespace: {{ .Release.Namespace }}
{{- end -}}
