{{/*
What a process is told: where it listens, how it reaches what it depends on, its settings, and what the runtime is told.
The argument is the root, the workload's name and the workload. One map, because of a repeated name only the last counts.
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

{{/* A value as configuration reads it. JSON numbers arrive as floats, of which large ones would be written with an exponent. */}}
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

{{/* The key is the emulator's well-known one: it is no secret, and keeps nobody out who can reach the broker. */}}
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
{{- /* The collector takes this key alone; it means nothing else. */}}
APPLICATIONINSIGHTS_CONNECTION_STRING: InstrumentationKey=00000000-0000-0000-0000-0000000d07e5;IngestionEndpoint={{ $collector }};LiveEndpoint={{ $collector }}
{{- end }}
{{- with .Values.telemetry.otlp.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . }}
OTEL_EXPORTER_OTLP_PROTOCOL: {{ $.Values.telemetry.otlp.protocol }}
{{- end }}
{{- if lt (float64 .Values.telemetry.samplingRatio) 1.0 }}
OTEL_TRACES_SAMPLER: parentbased_traceidratio # the services after the first follow its decision
OTEL_TRACES_SAMPLER_ARG: {{ .Values.telemetry.samplingRatio | quote }}
{{- end }}
{{- end -}}

{{/*
The Secrets whose entries are settings of a workload: its own, and those of the stores that it opens by connection string.
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

{{/* Services are found by bare name, in DNS. */}}
{{- define "drone.connection.ingestion" -}}{{- end -}}
{{- define "drone.connection.package" -}}{{- end -}}
{{- define "drone.connection.dronescheduler" -}}{{- end -}}
{{- define "drone.connection.delivery" -}}{{- end -}}
