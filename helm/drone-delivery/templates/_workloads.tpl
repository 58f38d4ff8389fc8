{{/*
All workloads of the release as a map of specs by name: the services with their defaults, and the local backing parts.
The other templates iterate over it.
*/}}
{{- define "drone.workloads" -}}
{{- $workloads := dict -}}
{{- range $name, $service := .Values.services -}}
  {{- if include "drone.isOn" (list $ $name) -}}
    {{- $_ := set $workloads $name (mergeOverwrite (deepCopy $.Values.defaults) (deepCopy $service)) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $part := .Values.backing -}}
  {{- if has $name (include "drone.localParts" $ | fromYamlArray) -}}
    {{- $own := dict "isBacking" true "replicas" 1 "preStopSeconds" 0 "probes" ($part.probes | default $.Values.defaults.probes) -}}
    {{- $_ := set $workloads $name (merge $own (deepCopy $part)) -}}
  {{- end -}}
{{- end -}}
{{- with $workloads.redis -}}
  {{- $_ := set .data "isPersistent" (eq (include "drone.redisIsPersistent" $) "true") -}}
{{- end -}}
{{- with $workloads.servicebus -}}
  {{- if $.Values.serviceBus.persistence -}}
    {{- $_ := set .data "isPersistent" true -}}
  {{- else -}}
    {{- $_ := unset . "data" -}}
    {{- $_ := unset .settings "ServiceBus:DataFolder" -}}
  {{- end -}}
{{- end -}}
{{- /* Removes dependencies that don't run in the cluster. */}}
{{- with $workloads.telemetry -}}
  {{- $_ := set . "dependsOn" (ternary .dependsOn list (eq $.Values.serviceBus.kind "local")) -}}
{{- end -}}
{{- /* With workload identity, there is no broker key from which the acceptance key could be derived. */}}
{{- if and (eq $.Values.serviceBus.kind "azure") (not $.Values.serviceBus.secret) -}}
  {{- $_ := set $workloads.ingestion "secret" (dict "name" $.Values.acceptance.keySecret "prefix" "Ingestion__") -}}
{{- end -}}
{{- with $.Values.confirmation.keySecret -}}
  {{- $_ := set $workloads.delivery "secret" (dict "name" . "prefix" "Confirmation__") -}}
{{- end -}}
{{- include "drone.authentication" (list $ $workloads) -}}
{{- include "drone.gateway" (list $ $workloads) -}}
{{- range $name, $workload := $workloads -}}
  {{- if and (eq $.Values.database.kind "sqlite") (has "database" $workload.dependsOn) -}}
    {{- $_ := set $workload "data" (dict "mountPath" "/data" "size" $.Values.database.size "isPersistent" true) -}}
    {{- $_ := set $workload "sharesNode" true -}}
  {{- end -}}
  {{- $scaler := dig "autoscaling" "kind" "none" $workload -}}
  {{- $_ := set $workload "scaler" (ternary $scaler "none" $.Values.autoscaling.enabled) -}}
  {{- $_ := set $workload "dependsOn" ($workload.dependsOn | default list) -}}
{{- end -}}
{{- toYaml $workloads -}}
{{- end -}}

{{/* `auto` follows the broker, because load tests run both without a volume. */}}
{{- define "drone.redisIsPersistent" -}}
{{- $persistence := .Values.redis.persistence -}}
{{- ternary .Values.serviceBus.persistence $persistence (eq (toString $persistence) "auto") -}}
{{- end -}}

{{/* Names of the backing parts that run in the cluster. */}}
{{- define "drone.localParts" -}}
{{- $parts := list -}}
{{- if eq .Values.serviceBus.kind "local" -}}{{- $parts = append $parts "servicebus" -}}{{- end -}}
{{- if eq .Values.redis.kind "local" -}}{{- $parts = append $parts "redis" -}}{{- end -}}
{{- if eq .Values.telemetry.kind "local" -}}{{- $parts = append $parts "telemetry" -}}{{- end -}}
{{- toYaml $parts -}}
{{- end -}}

{{/*
The target of a dependency: `pods` for a workload in the cluster, `ports` for an external store, neither for a file.
The argument is the root and the dependency's name.
*/}}
{{- define "drone.target" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}
{{- if or (hasKey $root.Values.services $name) (has $name (include "drone.localParts" $root | fromYamlArray)) -}}
pods: {{ $name }}
{{- else if eq $name "servicebus" -}}
ports: [5671]
{{- else if eq $name "redis" -}}
ports: {{ ternary "[6379, 6380, 10000]" "[10000]" (ne $root.Values.redis.secret "") }}
{{- else if eq $name "authority" -}}
ports: [443]
{{- else if and (eq $name "database") (eq $root.Values.database.kind "postgres") -}}
ports: [5432]
{{- else if and (eq $name "telemetry") (eq $root.Values.telemetry.kind "azure") -}}
ports: [443]
{{- else -}}
{}
{{- end -}}
{{- end -}}

{{/* Selectors are immutable, so they contain nothing that an upgrade changes. The argument is the root and the workload's name. */}}
{{- define "drone.selector" -}}
app.kubernetes.io/name: {{ index . 1 }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
{{- end -}}

{{/* Without the version, which would restart Redis and the broker with each version of the chart. */}}
{{- define "drone.podLabels" -}}
{{ include "drone.selector" . }}
app.kubernetes.io/part-of: drone-delivery
{{- end -}}

{{- define "drone.labels" -}}
{{ include "drone.podLabels" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version }}
{{- end -}}

{{/* The argument is the root, the name, and the namespace if it isn't the release's. */}}
{{- define "drone.metadata" -}}
name: {{ index . 1 }}
namespace: {{ if gt (len .) 2 }}{{ index . 2 }}{{ else }}{{ (index . 0).Release.Namespace }}{{ end }}
labels:
  {{- include "drone.labels" . | nindent 2 }}
{{- end -}}

{{/*
The image of a workload: this project's with the common registry and tag, others unchanged. skaffold sets tag@digest, or only a tag if it
pushes no images.
*/}}
{{- define "drone.image" -}}
{{- $root := index . 0 -}}{{- $image := index . 1 -}}
{{- if $image.isForeign -}}
{{ $image.repository }}:{{ $image.tag }}
{{- else -}}
{{- $tag := $image.tag | default "" | trimSuffix "@" | default $root.Values.images.tag | default $root.Chart.AppVersion -}}
{{ $root.Values.images.registry }}{{ $image.repository }}:{{ $tag }}
{{- end -}}
{{- end -}}

{{/* The minimum number of replicas; a single one is neither protected nor spread. */}}
{{- define "drone.atLeast" -}}
{{- if eq .scaler "none" -}}{{ .replicas }}{{- else -}}{{ .autoscaling.min }}{{- end -}}
{{- end -}}

{{- define "drone.gatewayNamespace" -}}
{{ .Values.edge.gateway.namespace | default .Release.Namespace }}
{{- end -}}

{{/*
The paths of a workload that an Ingress admits. Without the annotation, a controller would treat a pattern as a path.
The argument is the root, the workload, and `path` or `pattern`.
*/}}
{{- define "drone.ingressPaths" -}}
{{- $root := index . 0 -}}{{- $sort := index . 2 -}}
{{- if or (eq $sort "path") $root.Values.edge.ingress.regexAnnotations -}}
  {{- range (index . 1).routes -}}
    {{- with get . $sort }}
- {{ . | quote }}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- end -}}
