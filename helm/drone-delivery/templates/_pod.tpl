{{- define "drone.pod" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}{{- $workload := index . 2 -}}
serviceAccountName: {{ $name }}
{{ include "drone.restrictedPod" $root }}
{{- if $workload.isJob }}
restartPolicy: Never
{{- else }}
{{- /* Includes preStop, the host's timeout, and some seconds in which the process can exit. */}}
terminationGracePeriodSeconds: {{ add $workload.preStopSeconds $workload.shutdownSeconds 5 }}
{{- include "drone.placement" . }}
{{- end }}
containers:
  - name: {{ $name }}
    image: {{ include "drone.image" (list $root $workload.image) }}
    {{- include "drone.restrictedContainer" $root | nindent 4 }}
    {{- with $workload.args }}
    args:
      {{- range . }}
      - {{ tpl . $root | quote }}
      {{- end }}
    {{- end }}
    {{- with include "drone.environment" (list $root $name $workload) }}
    env:
      {{- . | nindent 6 }}
    {{- end }}
    {{- with include "drone.secrets" (list $root $workload) | trim }}
    envFrom: # settings
      {{- . | nindent 6 }}
    {{- end }}
    {{- if not $workload.isJob }}
    ports:
      - { name: main, containerPort: {{ $workload.port }}, protocol: TCP }
    {{- tpl (include "drone.probes" $workload) $root | nindent 4 }}
    {{- with $workload.preStopSeconds }}
    lifecycle:
      preStop: { sleep: { seconds: {{ . }} } }
    {{- end }}
    {{- end }}
    resources:
      {{- toYaml $workload.resources | nindent 6 }}
    volumeMounts:
      - { name: tmp, mountPath: /tmp } # diagnostics sockets for dotnet-counters and dotnet-trace
      {{- with $workload.data }}
      - { name: data, mountPath: {{ .mountPath }} }
      {{- end }}
      {{- if $workload.files }}
      - { name: files, mountPath: /files, readOnly: true }
      {{- end }}
volumes:
  - { name: tmp, emptyDir: { sizeLimit: 64Mi } }
  {{- with $workload.data }}
  - name: data
    {{- if .isPersistent }}
    persistentVolumeClaim: { claimName: {{ $name }} }
    {{- else }}
    emptyDir: { sizeLimit: {{ .size }} }
    {{- end }}
  {{- end }}
  {{- if $workload.files }}
  - { name: files, configMap: { name: {{ $name }} } }
  {{- end }}
{{- end -}}

{{/* Common to all pods: no privileges (Pod Security "restricted"), and the allowed nodes. The argument is the root. */}}
{{- define "drone.restrictedPod" -}}
automountServiceAccountToken: false # no pod calls the API server; a webhook projects workload identity tokens
enableServiceLinks: false # variables such as REDIS_PORT would be read as configuration
securityContext:
  {{- with .Values.pod.userId }}
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  {{- end }}
  runAsNonRoot: true
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $nodes := deepCopy .Values.pod.nodeSelector }}
{{- with .Values.images.architecture }}
{{- $nodes = merge $nodes (dict "kubernetes.io/arch" .) }}
{{- end }}
{{- with $nodes }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "drone.restrictedContainer" -}}
imagePullPolicy: {{ .Values.images.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* The startup probe uses the liveness endpoint, and allows a minute to compile and connect. */}}
{{- define "drone.probes" -}}
startupProbe:
  {{- omit .probes.live "periodSeconds" | toYaml | nindent 2 }}
  periodSeconds: 2
  failureThreshold: 30
livenessProbe:
  {{- toYaml .probes.live | nindent 2 }}
  failureThreshold: 3
readinessProbe:
  {{- toYaml .probes.ready | nindent 2 }}
  failureThreshold: 2
{{- end -}}

{{/* Spreads replicas over zones and nodes, except replicas that share a file and so a node. */}}
{{- define "drone.placement" -}}
{{- $root := index . 0 -}}{{- $name := index . 1 -}}{{- $workload := index . 2 -}}
{{- if $workload.sharesNode }}
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "drone.selector" (list $root $name) | nindent 12 }}
{{- else if not $workload.isBacking }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash] # ignores the pods of the old version
    labelSelector:
      matchLabels:
        {{- include "drone.selector" (list $root $name) | nindent 8 }}
  {{- end }}
{{- end }}
{{- end -}}
