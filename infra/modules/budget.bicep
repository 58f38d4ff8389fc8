// An email to the owners of the resource group when the month has cost half of the budget, and all of it. Nothing is stopped.
param name string
param amount int
param start string

var thresholds = [50, 100]

resource budget 'Microsoft.Consumption/budgets@2023-11-01' = {
  name: name
  properties: {
    category: 'Cost'
    amount: amount
    timeGrain: 'Monthly'
    timePeriod: { startDate: start }
    notifications: toObject(thresholds, it => 'at${it}', it => {
      enabled: true
      operator: 'GreaterThanOrEqualTo'
      threshold: it
      thresholdType: 'Actual'
      contactEmails: []
      contactRoles: ['Owner']
    })
  }
}
