// Sends an email when a month's costs reach 80 % of the budget, and all of it. Nothing is stopped. The budget applies to the subscription,
// because AKS keeps the nodes in their own resource group.
targetScope = 'subscription'
param name string
param groups array
param amount int
param start string
@description('Email address, in addition to the owners of the subscription. Empty: owners only.')
param email string

var thresholds = [80, 100]

resource budget 'Microsoft.Consumption/budgets@2023-11-01' = {
  name: name
  properties: {
    category: 'Cost'
    amount: amount
    timeGrain: 'Monthly'
    timePeriod: { startDate: start }
    filter: { dimensions: { name: 'ResourceGroupName', operator: 'In', values: groups } }
    notifications: toObject(thresholds, it => 'at${it}', it => {
      enabled: true
      operator: 'GreaterThanOrEqualTo'
      threshold: it
      thresholdType: 'Actual'
      contactEmails: empty(email) ? [] : [email]
      contactRoles: ['Owner']
    })
  }
}
