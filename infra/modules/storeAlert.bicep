// An alert before a store is full, on a platform metric: those have no daily cap, unlike the logs.
param name string
param storeId string
param metricNamespace string
param metric string
param actionGroupId string

resource alert 'Microsoft.Insights/metricAlerts@2018-03-01' = {
  name: name
  location: 'global'
  properties: {
    description: 'Three quarters of the store are used (docs/reference/azure-resources.md#what-it-costs).'
    severity: 1
    enabled: true
    scopes: [storeId]
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          criterionType: 'StaticThresholdCriterion'
          name: 'used'
          metricNamespace: metricNamespace
          metricName: metric
          operator: 'GreaterThan'
          threshold: 75
          timeAggregation: 'Maximum'
        }
      ]
    }
    autoMitigate: true
    actions: [{ actionGroupId: actionGroupId }]
  }
}
