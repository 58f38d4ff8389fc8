// AKS: tokens for pods (OIDC issuer, workload identity), KEDA, the Gateway API, network policies, Container insights, no local accounts.
param location string
param name string
param nodeCount int
param nodeSize string
param workspaceId string
@description('What Container insights collects, and where to.')
param collectionRuleId string
param registryName string
@description('Who deploys: the cluster has no accounts of its own, so without a role kubectl is refused.')
param deployerId string

resource cluster 'Microsoft.ContainerService/managedClusters@2026-04-01' = {
  name: name
  location: location
  sku: { name: 'Base', tier: 'Standard' }
  identity: { type: 'SystemAssigned' }
  properties: {
    dnsPrefix: name
    disableLocalAccounts: true
    aadProfile: { managed: true, enableAzureRBAC: true }
    oidcIssuerProfile: { enabled: true }
    securityProfile: { workloadIdentity: { enabled: true } }
    workloadAutoScalerProfile: { keda: { enabled: true } }
    // The Gateway API, served by Istio without sidecars: class approuting-istio. What stands here stays when the template is deployed again.
    ingressProfile: {
      gatewayAPI: { installation: 'Standard' }
      webAppRouting: { gatewayAPIImplementations: { appRoutingIstio: { mode: 'Enabled' } } }
    }
    addonProfiles: { omsagent: { enabled: true, config: { logAnalyticsWorkspaceResourceID: workspaceId, useAADAuth: 'true' } } }
    networkProfile: { networkPlugin: 'azure', networkPluginMode: 'overlay', networkDataplane: 'cilium', networkPolicy: 'cilium' }
    agentPoolProfiles: [
      { name: 'system', mode: 'System', count: 1, vmSize: nodeSize, osSKU: 'AzureLinux', nodeTaints: ['CriticalAddonsOnly=true:NoSchedule'] }
      // The nodes of the load test, with nothing of the cluster's own on them but what every node has.
      { name: 'user', mode: 'User', count: nodeCount, vmSize: nodeSize, osSKU: 'AzureLinux', availabilityZones: ['1', '2', '3'] }
    ]
  }
}

// With AAD authentication the agent of Container insights sends what a rule says, and without one nothing. The name is the one that the portal looks for.
resource collection 'Microsoft.Insights/dataCollectionRuleAssociations@2022-06-01' = {
  name: 'ContainerInsightsExtension'
  scope: cluster
  properties: { dataCollectionRuleId: collectionRuleId }
}

resource registry 'Microsoft.ContainerRegistry/registries@2023-07-01' existing = {
  name: registryName
}

var acrPull = subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '7f951dda-4ed3-4680-a7ca-43fe172d538d')

resource pull 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(registry.id, cluster.id, acrPull)
  scope: registry
  properties: {
    roleDefinitionId: acrPull
    principalId: cluster.properties.identityProfile.kubeletidentity.objectId
    principalType: 'ServicePrincipal'
  }
}

// Azure Kubernetes Service RBAC Cluster Admin
var clusterAdmin = subscriptionResourceId('Microsoft.Authorization/roleDefinitions', 'b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b')

// A user or, in a pipeline, a service principal: the type is left to be looked up.
resource admin 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(cluster.id, deployerId, clusterAdmin)
  scope: cluster
  properties: { roleDefinitionId: clusterAdmin, principalId: deployerId }
}

output name string = cluster.name
output issuer string = cluster.properties.oidcIssuerProfile.issuerURL
