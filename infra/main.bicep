// The resources that the application needs in Azure, without keys: infra/up deploys them, infra/down removes them (docs/azure.md).
targetScope = 'resourceGroup'

@description('Region of all resources.')
param location string = resourceGroup().location

@description('Prefix of every name; names that must be globally unique also get a suffix.')
@minLength(3)
@maxLength(12)
param name string = 'drone'

@description('Nodes of the cluster: 6 in the stages 1 to 5 of the load test, 12 in stage 6.')
param nodeCount int = 6

@description('Size of a node: 2 vCPU, as in the load test.')
param nodeSize string = 'Standard_D2s_v5'

@description('A Premium namespace has CPU of its own; Standard is throttled at about 1,000 operations a second.')
@allowed(['Standard', 'Premium'])
param serviceBusTier string = 'Standard'

@description('How long a received message is locked, ISO 8601, at most PT5M: the knob queue.lockDuration.')
param lockDuration string = 'PT1M'

@description('Deliveries of one message before it is dead-lettered: the knob queue.maxDeliveryCount.')
@minValue(1)
@maxValue(2000)
param maxDeliveryCount int = 10

@description('Memory and speed of Azure Managed Redis: B0 is 0.5 GB, B1 1 GB, B3 3 GB, B5 6 GB. At most 25 GB, because it has no shards.')
param redisSku string = 'Balanced_B1'

@description('Size of the PostgreSQL server.')
param postgresSku string = 'Standard_B2s'

var suffix = take(uniqueString(resourceGroup().id, name), 6)
var services = ['ingestion', 'workflow', 'package', 'dronescheduler', 'delivery']

module monitoring 'modules/monitoring.bicep' = {
  params: { location: location, name: name }
}

module registry 'modules/registry.bicep' = {
  params: { location: location, name: '${name}${suffix}' }
}

module cluster 'modules/cluster.bicep' = {
  params: {
    location: location
    name: name
    nodeCount: nodeCount
    nodeSize: nodeSize
    workspaceId: monitoring.outputs.workspaceId
    collectionRuleId: monitoring.outputs.collectionRuleId
    registryName: registry.outputs.name
    deployerId: deployer().objectId
  }
}

@batchSize(1) // the identity provider takes one change at a time
module identities 'modules/identity.bicep' = [for service in services: {
  name: 'identity-${service}'
  params: { location: location, name: 'drone-${service}', issuer: cluster.outputs.issuer, namespace: 'drone-delivery', account: service }
}]

module keda 'modules/identity.bicep' = {
  name: 'identity-keda'
  params: { location: location, name: 'drone-keda', issuer: cluster.outputs.issuer, namespace: 'kube-system', account: 'keda-operator' }
}

module migration 'modules/identity.bicep' = {
  name: 'identity-migration'
  params: { location: location, name: 'drone-migration', issuer: cluster.outputs.issuer, namespace: 'drone-delivery', account: 'migration' }
}

module serviceBus 'modules/serviceBus.bicep' = {
  params: {
    location: location
    name: '${name}-${suffix}'
    tier: serviceBusTier
    lockDuration: lockDuration
    maxDeliveryCount: maxDeliveryCount
    senderId: identities[0].outputs.principalId
    receiverId: identities[1].outputs.principalId
    ownerId: keda.outputs.principalId
  }
}

module database 'modules/postgres.bicep' = {
  params: {
    location: location
    name: '${name}-${suffix}'
    sku: postgresSku
    administrator: { name: 'drone-migration', principalId: migration.outputs.principalId }
  }
}

module redis 'modules/redis.bicep' = {
  params: { location: location, name: '${name}-${suffix}', sku: redisSku, userId: identities[4].outputs.principalId }
}

@description('Values of the chart helm/drone-delivery that only this deployment knows.')
output values object = {
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

output registry string = registry.outputs.loginServer
output cluster string = cluster.outputs.name
