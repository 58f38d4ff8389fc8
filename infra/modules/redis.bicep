// Azure Managed Redis. The SKU determines its memory; access keys are disabled.
param location string
param name string
param sku string
param userId string

resource cache 'Microsoft.Cache/redisEnterprise@2025-07-01' = {
  name: name
  location: location
  sku: { name: sku }
  properties: { minimumTlsVersion: '1.2', highAvailability: 'Enabled', publicNetworkAccess: 'Enabled' }
}

resource database 'Microsoft.Cache/redisEnterprise/databases@2025-07-01' = {
  parent: cache
  name: 'default'
  properties: {
    port: 10000
    clientProtocol: 'Encrypted'
    // Not sharded: a script writes a delivery, its events, and its owner's month, and shards reject keys in different slots (CROSSSLOT),
    // even behind one endpoint. Sizes up to 25 GB support this policy. It can't be changed for an existing database.
    clusteringPolicy: 'NoCluster'
    evictionPolicy: 'NoEviction' // other policies would drop live deliveries; a full Redis rejects new ones until others expire or are flushed
    accessKeysAuthentication: 'Disabled'
  }
}

resource user 'Microsoft.Cache/redisEnterprise/databases/accessPolicyAssignments@2025-07-01' = {
  parent: database
  name: 'delivery'
  properties: { accessPolicyName: 'default', user: { objectId: userId } }
}

output id string = cache.id
output host string = cache.properties.hostName
