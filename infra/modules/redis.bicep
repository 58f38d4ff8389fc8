// Azure Managed Redis. Its memory follows from the SKU; keys are off.
param location string
param name string
param sku string
param userId string

resource cache 'Microsoft.Cache/redisEnterprise@2025-04-01' = {
  name: name
  location: location
  sku: { name: sku }
  properties: { minimumTlsVersion: '1.2', highAvailability: 'Enabled' }
}

resource database 'Microsoft.Cache/redisEnterprise/databases@2025-04-01' = {
  parent: cache
  name: 'default'
  properties: {
    port: 10000
    clientProtocol: 'Encrypted'
    // One endpoint for all keys: a delivery and its status are written in one step, which shards behind several would not allow.
    clusteringPolicy: 'EnterpriseCluster'
    evictionPolicy: 'NoEviction' // every key expires some day, so any other policy would drop live deliveries instead of refusing new ones
    accessKeysAuthentication: 'Disabled'
  }
}

resource user 'Microsoft.Cache/redisEnterprise/databases/accessPolicyAssignments@2025-04-01' = {
  parent: database
  name: 'delivery'
  properties: { accessPolicyName: 'default', user: { objectId: userId } }
}

output host string = cache.properties.hostName
