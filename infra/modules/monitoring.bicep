// Log Analytics, the collection rule of Container insights, and Application Insights, whose connection string permits only writing
// telemetry.
param location string
param name string
@description('Daily limit of the workspace in GB. Without a limit, logs can cost more than the cluster.')
param dailyLogCap int
@description('Email address, in addition to the owners of the subscription. Empty: owners only.')
param alertEmail string

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: name
  location: location
  properties: { sku: { name: 'PerGB2018' }, retentionInDays: 30, workspaceCapping: { dailyQuotaGb: dailyLogCap } }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: name
  location: location
  kind: 'web'
  properties: { Application_Type: 'web', WorkspaceResourceId: workspace.id }
}

var containerInsights = ['Microsoft-ContainerInsights-Group-Default']

resource collectionRule 'Microsoft.Insights/dataCollectionRules@2022-06-01' = {
  name: 'MSCI-${name}'
  location: location
  kind: 'Linux'
  properties: {
    dataSources: {
      extensions: [
        {
          name: 'ContainerInsightsExtension'
          extensionName: 'ContainerInsights'
          streams: containerInsights
          extensionSettings: {
            dataCollectionSettings: {
              interval: '1m'
              // This excludes inventory and events. For logs, infra/container-insights.yaml does.
              namespaceFilteringMode: 'Exclude'
              namespaces: ['kube-system', 'drone-delivery-edge']
              enableContainerLogV2: true
            }
          }
        }
      ]
    }
    destinations: { logAnalytics: [{ name: 'workspace', workspaceResourceId: workspace.id }] }
    dataFlows: [{ streams: containerInsights, destinations: ['workspace'] }]
  }
}

// Azure sends to owners only if the role is assigned at the subscription, and to accounts with an email address.
resource recipients 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: name
  location: 'global'
  properties: {
    enabled: true
    groupShortName: name
    emailReceivers: empty(alertEmail) ? [] : [{ name: 'email', emailAddress: alertEmail, useCommonAlertSchema: true }]
    armRoleReceivers: [{ name: 'owners', roleId: '8e3af657-a8ff-443c-a75c-2fe8c4bcb635', useCommonAlertSchema: true }]
  }
}

// Events are not sampled (docs/reference/telemetry.md). A sample of requests suffices to detect failures during the whole window.
var alerts = [
  {
    name: 'queue-grows'
    severity: 2
    description: 'Workflow processes fewer deliveries than Ingestion accepts.'
    query: '''
      customEvents
      | summarize accepted = countif(name == 'DeliveryAccepted'), ended = countif(name in ('DeliveryCompleted', 'DeliveryFailed'))
      | where accepted > 100 and accepted > 1.1 * ended
    '''
  }
  {
    name: 'deliveries-fail'
    severity: 2
    description: 'Deliveries failed; their events contain the reason.'
    query: 'customEvents | where name == \'DeliveryFailed\''
  }
  {
    name: 'ingestion-rejects'
    severity: 1
    description: 'Ingestion is overloaded or cannot connect to the broker.'
    query: 'requests | where cloud_RoleName == \'ingestion\' and (resultCode == \'429\' or resultCode startswith \'5\')'
  }
]

resource rules 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [for alert in alerts: {
  name: '${name}-${alert.name}'
  location: location
  properties: {
    displayName: '${name}-${alert.name}'
    description: alert.description
    severity: alert.severity
    enabled: true
    scopes: [insights.id]
    skipQueryValidation: true // the tables of a new workspace don't exist yet
    evaluationFrequency: 'PT15M'
    windowSize: 'PT15M'
    criteria: {
      allOf: [
        {
          query: alert.query
          timeAggregation: 'Count'
          operator: 'GreaterThan'
          threshold: 0
          failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
        }
      ]
    }
    autoMitigate: true
    actions: { actionGroups: [recipients.id] }
  }
}]

output actionGroupId string = recipients.id
output collectionRuleId string = collectionRule.id
output workspaceId string = workspace.id
output connectionString string = insights.properties.ConnectionString
