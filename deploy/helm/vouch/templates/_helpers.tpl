{{- define "vouch.name" -}}
{{- .Chart.Name -}}
{{- end -}}

{{- define "vouch.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "vouch.selector" -}}
app.kubernetes.io/name: {{ include "vouch.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "vouch.labels" -}}
{{ include "vouch.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "vouch.image" -}}
{{- if .Values.image.digest -}}
{{ required "image.repository: set it to where you have pushed what deploy/Dockerfile builds" .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ required "image.repository: set it to where you have pushed what deploy/Dockerfile builds" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The secret with the confidential settings. */}}
{{- define "vouch.secretName" -}}
{{- if .Values.existingSecret -}}
{{ .Values.existingSecret }}
{{- else if .Values.secret -}}
{{ include "vouch.fullname" . }}
{{- else -}}
{{ fail "existingSecret: name a Secret with DATABASE_URL, SOLANA_RPC_URL, VOUCH_SIGNER, VOUCH_DATA_KEY and what your KYC provider needs" }}
{{- end -}}
{{- end -}}

{{/* What a pod of any role is, but for its container. */}}
{{- define "vouch.podSpec" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
{{- end -}}

{{/* What every container has. */}}
{{- define "vouch.container" -}}
image: {{ include "vouch.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
{{- end -}}

{{/* A setting's value as text. A number of Helm's is one with a fraction: toString writes a million as 1e+06. */}}
{{- define "vouch.setting" -}}
{{ ternary . (toJson .) (kindIs "string" .) | quote }}
{{- end -}}

{{/* The settings of a server. */}}
{{- define "vouch.settings" -}}
envFrom:
  - configMapRef: { name: {{ include "vouch.fullname" . }} }
  - secretRef: { name: {{ include "vouch.secretName" . }} }
{{- end -}}

{{/* Probes by the port of the metrics: it is plain HTTP for every role. */}}
{{- define "vouch.probes" -}}
startupProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 2
  # Allows time to wait for another process's migrations.
  failureThreshold: 150
  timeoutSeconds: 3
livenessProbe:
  httpGet: { path: /livez, port: metrics }
  periodSeconds: 10
  failureThreshold: 6
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: metrics }
  periodSeconds: 5
  failureThreshold: 2
  timeoutSeconds: 4
{{- end -}}
