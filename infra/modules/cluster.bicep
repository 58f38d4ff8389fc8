// AKS with workload identity (OIDC issuer), KEDA, the Gateway API, network policies and Container insights, without local accounts.
param location string
param name string
@description('The resource group of the nodes, which AKS creates.')
param nodeGroup string
param nodeCount int
param nodeSize string
param workspaceId string
@description('The data collection rule of Container insights.')
param collectionRuleId string
@description('The deploying user. Local accounts are disabled, so kubectl requires a role.')
param deployerId string
@description('IP ranges that can reach the API server, separated by commas, for example 203.0.113.0/24. Empty: all.')
param apiServerRanges string

// AKS's default. A smaller disk has fewer IOPS, which image pulls exhaust. The size can't be changed later.
var osDiskSize = 128

resource cluster 'Microsoft.ContainerService/managedClusters@2026-04-01' = {
  name: name
  location: location
  sku: { name: 'Base', tier: 'Standard' }
  identity: { type: 'SystemAssigned' }
  properties: {
    dnsPrefix: name
    nodeResourceGroup: nodeGroup
    disableLocalAccounts: true
    apiServerAccessProfile: { authorizedIPRanges: empty(apiServerRanges) ? [] : map(split(apiServerRanges, ','), block => trim(block)) }
    aadProfile: { managed: true, enableAzureRBAC: true }
    oidcIssuerProfile: { enabled: true }
    securityProfile: { workloadIdentity: { enabled: true } }
    workloadAutoScalerProfile: { keda: { enabled: true } }
    // The Gateway API, implemented by Istio without sidecars (class approuting-istio). These settings survive redeployments of the
    // template.
    ingressProfile: {
      gatewayAPI: { installation: 'Standard' }
      webAppRouting: { gatewayAPIImplementations: { appRoutingIstio: { mode: 'Enabled' } } }
    }
    // Patches are installed automatically, in the maintenance windows below; minor Kubernetes versions are not.
    autoUpgradeProfile: { upgradeChannel: 'patch', nodeOSUpgradeChannel: 'NodeImage' }
    addonProfiles: { omsagent: { enabled: true, config: { logAnalyticsWorkspaceResourceID: workspaceId, useAADAuth: 'true' } } }
    networkProfile: { networkPlugin: 'azure', networkPluginMode: 'overlay', networkDataplane: 'cilium', networkPolicy: 'cilium' }
    agentPoolProfiles: [
      // The minimum that AKS recommends for a system pool: two nodes with 4 vCPUs.
      {
        name: 'system'
        mode: 'System'
        count: 2
        vmSize: 'Standard_D4s_v5'
        osDiskSizeGB: osDiskSize
        osSKU: 'AzureLinux'
        availabilityZones: ['1', '2', '3'] // CoreDNS, KEDA and Istio survive the loss of a zone
        nodeTaints: ['CriticalAddonsOnly=true:NoSchedule']
        localDNSProfile: { mode: 'Disabled' }
      }
      // The nodes of the load test. Of the cluster's own pods, they run only DaemonSets.
      {
        name: 'user'
        mode: 'User'
        count: nodeCount
        vmSize: nodeSize
        osDiskSizeGB: osDiskSize
        osSKU: 'AzureLinux'
        availabilityZones: ['1', '2', '3']
        localDNSProfile: { mode: 'Disabled' } // the chart admits its addresses; not tested with Cilium's policies
      }
    ]
  }
}

// Upgrades replace nodes, so they run outside of measurements. AKS requires these names.
resource upgradeHours 'Microsoft.ContainerService/managedClusters/maintenanceConfigurations@2026-04-01' = [
  for schedule in ['aksManagedAutoUpgradeSchedule', 'aksManagedNodeOSUpgradeSchedule']: {
    parent: cluster
    name: schedule
    properties: {
      maintenanceWindow: {
        schedule: { weekly: { intervalWeeks: 1, dayOfWeek: 'Sunday' } }
        startTime: '02:00'
        utcOffset: '+00:00'
        durationHours: 4
      }
    }
  }
]

// With Entra authentication, the agent of Container insights sends only data that a rule collects. The portal requires this name.
resource collection 'Microsoft.Insights/dataCollectionRuleAssociations@2022-06-01' = {
  name: 'ContainerInsightsExtension'
  scope: cluster
  properties: { dataCollectionRuleId: collectionRuleId }
}

// Azure Kubernetes Service RBAC Cluster Admin
var clusterAdmin = subscriptionResourceId('Microsoft.Authorization/roleDefinitions', 'b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b')

// A user or, in a pipeline, a service principal. Without principalType, Azure looks up the type.
resource admin 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(cluster.id, deployerId, clusterAdmin)
  scope: cluster
  properties: { roleDefinitionId: clusterAdmin, principalId: deployerId }
}

output name string = cluster.name
output kubeletId string = cluster.properties.identityProfile.kubeletidentity.objectId
output issuer string = cluster.properties.oidcIssuerProfile.issuerURL
