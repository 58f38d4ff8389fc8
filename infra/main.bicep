// The application's Azure resources, with managed identities instead of keys. azd up deploys them; azd down removes them (docs/how-to/azure.md).
// main.bicepparam contains the parameter values.
targetScope = 'subscription'

@description('Name of the resource group.')
param group string

@description('Default region of all resources.')
param location string

@description('Region of Azure Managed Redis. Not every region has capacity for every size.')
param redisLocation string

@description('Region of PostgreSQL. Some subscription offers do not allow every region.')
param postgresLocation string

@description('Number of cluster nodes (nodes.count of a stage).')
param nodeCount int

@description('VM size of a node. The load test uses 2 vCPUs.')
param nodeSize string

@description('Tier of the Service Bus namespace. Premium has dedicated CPU; Standard is throttled at about 1,000 operations per second.')
@allowed(['Standard', 'Premium'])
param serviceBusTier string

@description('Lock duration of a received message, in ISO 8601, at most PT5M (queue.lockDuration of a stage).')
param lockDuration string

@description('Number of deliveries after which a message is dead-lettered (queue.maxDeliveryCount of a stage).')
@minValue(1)
@maxValue(2000)
param maxDeliveryCount int

@description('SKU of Azure Managed Redis. At most 25 GB, because the database is not sharded.')
param redisSku string

@description('SKU of the PostgreSQL server: Standard_B (burstable) or Standard_D.')
param postgresSku string

@description('Disk size of the PostgreSQL server in GB: 32, 64, 128 and so on. The disk grows automatically, and a smaller size than the current one is rejected.')
@minValue(32)
param postgresStorage int

@description('Daily limit of logs in GB, after which the workspace stops collecting until the next day.')
@minValue(1)
param dailyLogCap int

@description('Monthly budget in US dollars. An email is sent at 80 % and at 100 %; nothing is stopped. 0 for no budget.')
@minValue(0)
param monthlyBudget int

@description('First day of the first month of the budget, which cannot be changed later. Empty for no budget.')
param budgetStart string

@description('Email address for alerts and the budget, in addition to the owners of the subscription. Empty: owners only.')
param alertEmail string

@description('IP ranges that can reach the API server of the cluster, separated by commas. Must include the deployer. Empty: all.')
param apiServerRanges string

@description('Name of the deploying service principal, in a pipeline. A user is identified automatically.')
param servicePrincipalName string

resource resources 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: group
  location: location
  tags: { 'azd-env-name': group }
}

// The chart defines names that it shares with this deployment.
var chart = loadYamlContent('../helm/drone-delivery/values.yaml')
var namespace = 'drone-delivery'
var prefix = chart.database.userPrefix
var migrator = '${prefix}migration'

// Prefix of all names; globally unique names also get the suffix.
var name = 'drone'
var nodeGroup = '${group}-nodes'
var suffix = take(uniqueString(resources.id), 6)
var person = deployer().?userPrincipalName ?? '' // service principals have no such name
var deployerName = empty(person) ? servicePrincipalName : person
var services = ['ingestion', 'workflow', 'package', 'dronescheduler', 'delivery']

module monitoring 'modules/monitoring.bicep' = {
  scope: resources
  params: { location: location, name: name, dailyLogCap: dailyLogCap, alertEmail: alertEmail }
}

module budget 'modules/budget.bicep' = if (!empty(budgetStart) && monthlyBudget > 0) {
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
    storage: postgresStorage
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

@description('Values for the chart helm/drone-delivery that depend on this deployment.')
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
@description('Name of the principal that creates the PostgreSQL roles. Empty for a service principal without a name (docs/how-to/azure.md).')
output POSTGRES_ADMINISTRATOR string = deployerName
