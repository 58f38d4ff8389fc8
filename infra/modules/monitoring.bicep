// Log Analytics, the rule for Container insights, and Application Insights, whose connection string allows to write telemetry, not to read.
param location string
param name string

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: name
  location: location
  properties: { sku: { name: 'PerGB2018' }, retentionInDays: 30 }
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
          extensionSettings: { dataCollectionSettings: { interval: '1m', namespaceFilteringMode: 'Off', enableContainerLogV2: true } }
        }
      ]
    }
    destinations: { logAnalytics: [{ name: 'workspace', workspaceResourceId: workspace.id }] }
    dataFlows: [{ streams: containerInsights, destinations: ['workspace'] }]
  }
}

output collectionRuleId string = collectionRule.id
output workspaceId string = workspace.id
output connectionString string = insights.properties.ConnectionString
