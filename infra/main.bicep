// The resources that the application needs in Azure, without keys: azd up deploys them, azd down removes them (docs/how-to/azure.md).
// main.bicepparam has the values of the parameters.
targetScope = 'subscription'

@description('Name of the resource group.')
param group string

@description('Region of all resources but those with a region of their own.')
param location string

@description('Region of Azure Managed Redis: not every region has capacity for every size.')
param redisLocation string

@description('Region of PostgreSQL: some offers may not create it in every region.')
param postgresLocation string

@description('Nodes of the cluster: nodes.count of a stage.')
param nodeCount int

@description('Size of a node: 2 vCPU, as in the load test.')
param nodeSize string

@description('A Premium namespace has CPU of its own; Standard is throttled at about 1,000 operations a second.')
@allowed(['Standard', 'Premium'])
param serviceBusTier string

@description('How long a received message is locked, ISO 8601, at most PT5M: the knob queue.lockDuration.')
param lockDuration string

@description('Deliveries of one message before it is dead-lettered: the knob queue.maxDeliveryCount.')
@minValue(1)
@maxValue(2000)
param maxDeliveryCount int

@description('Memory and speed of Azure Managed Redis. At most 25 GB, because it has no shards.')
param redisSku string

@description('Size of the PostgreSQL server: Standard_B (burstable) or Standard_D.')
param postgresSku string

@description('Gigabytes of logs a day. Then the workspace stops collecting until the next day.')
@minValue(1)
param dailyLogCap int

@description('US dollars a month: there is an email at 80 % and at 100 %. Nothing stops.')
@minValue(1)
param monthlyBudget int

@description('First day of the first month of the budget, which cannot change later. Empty: no budget.')
param budgetStart string

@description('Email address for alerts and the budget, in addition to the owners of the subscription. Empty: owners only.')
param alertEmail string

@description('IP ranges that can reach the API server of the cluster, separated by commas. Must include the deployer. Empty: all.')
param apiServerRanges string

@description('Name of the service principal that deploys from a pipeline. A person is known by name.')
param servicePrincipalName string

resource resources 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: group
  location: location
  tags: { 'azd-env-name': group }
}

// Names that the chart and the deployment must agree on stand in the chart.
var chart = loadYamlContent('../helm/drone-delivery/values.yaml')
var namespace = 'drone-delivery'
var prefix = chart.database.userPrefix
var migrator = '${prefix}migration'

// Of every name; those that must be globally unique also get the suffix.
var name = 'drone'
var nodeGroup = '${group}-nodes'
var suffix = take(uniqueString(resources.id), 6)
var person = deployer().?userPrincipalName ?? '' // a service principal has no such name
var deployerName = empty(person) ? servicePrincipalName : person
var services = ['ingestion', 'workflow', 'package', 'dronescheduler', 'delivery']

module monitoring 'modules/monitoring.bicep' = {
  scope: resources
  params: { location: location, name: name, dailyLogCap: dailyLogCap, alertEmail: alertEmail }
}

module budget 'modules/budget.bicep' = if (!empty(budgetStart)) {
  params: { name: group, groups: [group, nodeGroup], amount: monthlyBudget, start: budgetStart, email: alertEmail }
}

module cluster 'modules/cluster.bicep' = {
  scope: resources
  params: {
    location: location
    name: name
    nodeGroup: nodeGroup
    nodeCount: nodeCount
    nodeSize: nodeSize
    workspaceId: monitoring.outputs.workspaceId
    collectionRuleId: monitoring.outputs.collectionRuleId
    deployerId: deployer().objectId
    apiServerRanges: apiServerRanges
  }
}

module registry 'modules/registry.bicep' = {
  scope: resources
  params: { location: location, name: '${name}${suffix}', pullerId: cluster.outputs.kubeletId }
}

module identities 'modules/identity.bicep' = [for service in services: {
  scope: resources
  name: 'identity-${service}'
  params: { location: location, name: '${prefix}${service}', issuer: cluster.outputs.issuer, namespace: namespace, account: service }
}]

module keda 'modules/identity.bicep' = {
  scope: resources
  name: 'identity-keda'
  params: { location: location, name: '${prefix}keda', issuer: cluster.outputs.issuer, namespace: 'kube-system', account: 'keda-operator' }
}

module migration 'modules/identity.bicep' = {
  scope: resources
  name: 'identity-migration'
  params: { location: location, name: migrator, issuer: cluster.outputs.issuer, namespace: namespace, account: 'migration' }
}

module serviceBus 'modules/serviceBus.bicep' = {
  scope: resources
  params: {
    location: location
    name: '${name}-${suffix}'
    tier: serviceBusTier
    queueName: chart.serviceBus.queueName
    failedQueueName: chart.serviceBus.failedQueueName
    lockDuration: lockDuration
    maxDeliveryCount: maxDeliveryCount
    senderId: identities[0].outputs.principalId
    receiverId: identities[1].outputs.principalId
    ownerId: keda.outputs.principalId
  }
}

module database 'modules/postgres.bicep' = {
  scope: resources
  params: {
    location: postgresLocation
    name: '${name}-${suffix}'
    sku: postgresSku
    database: chart.database.name
    administrator: { name: migrator, principalId: migration.outputs.principalId }
    deployerName: deployerName
    deployerType: empty(person) ? 'ServicePrincipal' : 'User'
  }
}

module redis 'modules/redis.bicep' = {
  scope: resources
  params: { location: redisLocation, name: '${name}-${suffix}', sku: redisSku, userId: identities[4].outputs.principalId }
}

module redisAlert 'modules/storeAlert.bicep' = {
  scope: resources
  params: {
    name: '${name}-redis-fills'
    storeId: redis.outputs.id
    metricNamespace: 'Microsoft.Cache/redisEnterprise'
    metric: 'usedmemorypercentage'
    actionGroupId: monitoring.outputs.actionGroupId
  }
}

module databaseAlert 'modules/storeAlert.bicep' = {
  scope: resources
  params: {
    name: '${name}-database-fills'
    storeId: database.outputs.id
    metricNamespace: 'Microsoft.DBforPostgreSQL/flexibleServers'
    metric: 'storage_percent'
    actionGroupId: monitoring.outputs.actionGroupId
  }
}

@description('Values of the chart helm/drone-delivery that only this deployment knows.')
output CHART_VALUES object = {
  serviceBus: { namespace: serviceBus.outputs.name, lockDuration: lockDuration, maxDeliveryCount: maxDeliveryCount }
  redis: { host: redis.outputs.host }
  database: { host: database.outputs.host, migrationClientId: migration.outputs.clientId }
  telemetry: { connectionString: monitoring.outputs.connectionString }
  autoscaling: { kedaClientId: keda.outputs.clientId }
  services: {
    ingestion: { clientId: identities[0].outputs.clientId }
    workflow: { clientId: identities[1].outputs.clientId }
    package: { clientId: identities[2].outputs.clientId }
    dronescheduler: { clientId: identities[3].outputs.clientId }
    delivery: { clientId: identities[4].outputs.clientId }
  }
}

output AZURE_RESOURCE_GROUP string = group
output AZURE_AKS_CLUSTER_NAME string = cluster.outputs.name
output AZURE_CONTAINER_REGISTRY_ENDPOINT string = registry.outputs.loginServer
output POSTGRES_HOST string = database.outputs.host
@description('Role and identity of each service that stores rows.')
output POSTGRES_ROLES object = {
  '${prefix}package': identities[2].outputs.principalId
  '${prefix}dronescheduler': identities[3].outputs.principalId
}
@description('Makes the roles of PostgreSQL. Empty for a service principal without a name (docs/how-to/azure.md).')
output POSTGRES_ADMINISTRATOR string = deployerName
