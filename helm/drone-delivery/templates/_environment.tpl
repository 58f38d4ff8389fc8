{{/*
The environment variables of a process: its address, its dependencies, its settings, and those of the runtime.
The argument is the root, the workload's name, and the workload. A map, because the last of several equal names wins.
*/}}
{{- define "drone.environment" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}{{- $workload := index . 2 -}}
{{- $environment := dict -}}
{{- if not $workload.isBacking -}}
  {{- $_ := set $environment "ASPNETCORE_URLS" (printf "http://+:%d" (int $workload.port)) -}}
  {{- $_ := set $environment "DOTNET_shutdownTimeoutSeconds" $workload.shutdownSeconds -}}
  {{- range $workload.dependsOn -}}
    {{- $connection := include (printf "drone.connection.%s" .) (merge (dict "caller" $name) $root) | fromYaml -}}
    {{- $environment = mergeOverwrite $environment $connection -}}
  {{- end -}}
{{- end -}}
{{- range $key, $value := $workload.settings -}}
  {{- $_ := set $environment (replace ":" "__" $key) (tpl (include "drone.text" $value) $root) -}}
{{- end -}}
{{- range $name, $value := $workload.env -}}
  {{- $_ := set $environment $name $value -}}
{{- end -}}
{{- range $name, $value := $environment }}
- name: {{ $name }}
  value: {{ include "drone.text" $value | quote }}
{{- end -}}
{{- end -}}

{{/* Formats a value for configuration. JSON numbers are floats, and large ones would be written with an exponent. */}}
{{- define "drone.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{- define "drone.connection.servicebus" -}}
ServiceBus__QueueName: {{ .Values.serviceBus.queueName }}
ServiceBus__FailedQueueName: {{ .Values.serviceBus.failedQueueName }}
{{- if eq .Values.serviceBus.kind "local" }}
ServiceBus__ConnectionString: {{ include "drone.brokerConnection" . }}
{{- else if not .Values.serviceBus.secret }}
ServiceBus__FullyQualifiedNamespace: {{ .Values.serviceBus.namespace }}.servicebus.windows.net
{{- end }}
{{- end -}}

{{/* The key is the emulator's well-known one, which is not a secret and protects nothing. */}}
{{- define "drone.brokerConnection" -}}
Endpoint=sb://servicebus:{{ .Values.backing.servicebus.port }};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true
{{- end -}}

{{- define "drone.connection.redis" -}}
{{- if eq .Values.redis.kind "local" }}
Redis__ConnectionString: redis:{{ .Values.backing.redis.port }}
{{- with .Values.redis.keyTimeToLive }}
Redis__KeyTimeToLive: {{ . | quote }}
{{- end }}
{{- else if not .Values.redis.secret }}
Redis__ConnectionString: {{ .Values.redis.host }}:10000,ssl=true
Redis__UseIdentity: true
{{- end }}
{{- end -}}

{{- define "drone.connection.database" -}}
{{- if eq .Values.database.kind "sqlite" }}
Database__ConnectionString: Data Source=/data/store.db
{{- else if not .Values.database.secret }}
Database__ConnectionString: Host={{ .Values.database.host }};Database={{ .Values.database.name }};Username={{ .Values.database.userPrefix }}{{ .caller }};SSL Mode=VerifyFull;Gss Encryption Mode=Disable
Database__UseIdentity: true
Database__MigrateOnStart: false
{{- end }}
{{- end -}}

{{- define "drone.connection.telemetry" -}}
{{- if eq .Values.telemetry.kind "azure" }}
APPLICATIONINSIGHTS_CONNECTION_STRING: {{ .Values.telemetry.connectionString }}
{{- else if eq .Values.telemetry.kind "local" }}
{{- $collector := printf "http://telemetry:%v/" .Values.backing.telemetry.port }}
{{- /* The only key that the collector accepts. */}}
APPLICATIONINSIGHTS_CONNECTION_STRING: InstrumentationKey=00000000-0000-0000-0000-0000000d07e5;IngestionEndpoint={{ $collector }};LiveEndpoint={{ $collector }}
{{- end }}
{{- with .Values.telemetry.otlp.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . }}
OTEL_EXPORTER_OTLP_PROTOCOL: {{ $.Values.telemetry.otlp.protocol }}
{{- end }}
{{- if lt (float64 .Values.telemetry.samplingRatio) 1.0 }}
OTEL_TRACES_SAMPLER: parentbased_traceidratio # downstream services follow the first one's decision
OTEL_TRACES_SAMPLER_ARG: {{ .Values.telemetry.samplingRatio | quote }}
{{- end }}
{{- end -}}

{{/*
The Secrets with settings of a workload: its own, and those of stores with a connection string.
The argument is the root and the workload.
*/}}
{{- define "drone.secrets" -}}
{{- $values := (index . 0).Values -}}{{- $workload := index . 1 -}}
{{- with $workload.secret }}
- { prefix: {{ .prefix }}, secretRef: { name: {{ .name }} } }
{{- end }}
{{- range $dependency, $store := dict "servicebus" "serviceBus" "redis" "redis" "database" "database" }}
{{- $name := get (get $values $store) "secret" }}
{{- if and $name (has $dependency $workload.dependsOn) (has (get $values $store).kind (list "azure" "postgres")) }}
- { prefix: {{ title $store }}__, secretRef: { name: {{ $name }} } }
{{- end }}
{{- end }}
{{- end -}}

{{- define "drone.connection.authority" -}}
Authentication__Enabled: true
Authentication__Authority: {{ .Values.authentication.authority }}
Authentication__Audience: {{ .Values.authentication.audience }}
Authentication__OwnerClaim: {{ .Values.authentication.ownerClaim }}
{{- end -}}

{{- define "drone.connection.callerToken" -}}
CallerToken__Scope: {{ .Values.authentication.callerScope }}
{{- end -}}

{{/* DNS resolves services by their short name. */}}
{{- define "drone.connection.ingestion" -}}{{- end -}}
{{- define "drone.connection.package" -}}{{- end -}}
{{- define "drone.connection.dronescheduler" -}}{{- end -}}
{{- define "drone.connection.delivery" -}}{{- end -}}
