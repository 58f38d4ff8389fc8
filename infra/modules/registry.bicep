// The container registry. Without an admin user, so pushing and pulling require a role.
param location string
param name string
@description('The nodes of the cluster.')
param pullerId string

resource registry 'Microsoft.ContainerRegistry/registries@2023-07-01' = {
  name: name
  location: location
  sku: { name: 'Basic' }
  properties: { adminUserEnabled: false }
}

var acrPull = subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '7f951dda-4ed3-4680-a7ca-43fe172d538d')

resource pull 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(registry.id, pullerId, acrPull)
  scope: registry
  properties: { roleDefinitionId: acrPull, principalId: pullerId, principalType: 'ServicePrincipal' }
}

output loginServer string = registry.properties.loginServer
