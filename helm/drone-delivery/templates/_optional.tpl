{{/* Optional services and checks, and their effect on the others. */}}

{{/* Whether a service is enabled; optional ones have their own section. The argument is the root and the service's name. */}}
{{- define "drone.isOn" -}}
{{- if (index (index . 0).Values (index . 1) | default (dict "enabled" true)).enabled -}}yes{{- end -}}
{{- end -}}

{{/* Adds what services need to check tokens, and to send their own. The argument is the root and the workloads. */}}
{{- define "drone.authentication" -}}
{{- $values := (index . 0).Values.authentication -}}{{- $workloads := index . 1 -}}
{{- $check := list "authority" -}}
{{- $added := dict -}}
{{- if $values.callerScope -}}
  {{- $send := list "callerToken" -}}
  {{- $added = dict "ingestion" (concat $check $send) "workflow" $send "package" $check "dronescheduler" $check "delivery" $check -}}
{{- else if $values.enabled -}}
  {{- $added = dict "ingestion" $check -}}
{{- end -}}
{{- range $name, $dependencies := $added -}}
  {{- $workload := get $workloads $name -}}
  {{- $_ := set $workload "dependsOn" (concat $workload.dependsOn $dependencies) -}}
{{- end -}}
{{- end -}}

{{/* Moves the routes of Ingestion to Gateway. The argument is the root and the workloads. */}}
{{- define "drone.gateway" -}}
{{- $root := index . 0 -}}{{- $workloads := index . 1 -}}{{- $values := $root.Values.gateway -}}
{{- with $workloads.gateway -}}
  {{- $ingestion := $workloads.ingestion -}}
  {{- $_ := set . "routes" (concat (.routes | default list) ($ingestion.routes | default list)) -}}
  {{- $_ := set $ingestion "routes" list -}}
  {{- $_ := set $ingestion "isBehind" true -}}
  {{- $settings := .settings | default dict -}}
  {{- if $values.wellKnownKey -}}
    {{- $_ := set $settings "Gateway:Keys:local" "local-subscription-key" -}}
  {{- else -}}
    {{- $_ := set . "secret" (dict "name" $values.keysSecret "prefix" "Gateway__Keys__") -}}
  {{- end -}}
  {{- if $values.policies -}}
    {{- $_ := set $settings "Gateway:PolicyFile" "/files/policies.json" -}}
    {{- $_ := set . "files" (dict "policies.json" "{{ toPrettyJson .Values.gateway.policies }}") -}}
  {{- end -}}
  {{- $_ := set . "settings" $settings -}}
{{- end -}}
{{- end -}}
