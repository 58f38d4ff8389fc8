// The two queues and their roles. Access keys are disabled.
param location string
param name string
param tier string
param queueName string
param failedQueueName string
param lockDuration string
param maxDeliveryCount int
param senderId string
param receiverId string
@description('The identity of KEDA, which needs the Manage permission to read the queue length.')
param ownerId string

resource bus 'Microsoft.ServiceBus/namespaces@2024-01-01' = {
  name: name
  location: location
  sku: { name: tier, tier: tier, capacity: tier == 'Premium' ? 1 : null }
  properties: { disableLocalAuth: true, minimumTlsVersion: '1.2' }
}

// The largest size in the Standard tier, at no extra cost. The default is 1 GB.
var queueSize = 5120

resource queue 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = {
  parent: bus
  name: queueName
  properties: {
    maxSizeInMegabytes: queueSize
    lockDuration: lockDuration
    maxDeliveryCount: maxDeliveryCount
    // Must be shorter than DroneScheduler's Retention:Period; otherwise, a late message would assign a second drone.
    defaultMessageTimeToLive: 'P14D'
    deadLetteringOnMessageExpiration: true
  }
}

resource failedQueue 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = {
  parent: bus
  name: failedQueueName
  properties: { maxSizeInMegabytes: queueSize, deadLetteringOnMessageExpiration: true }
}

// Azure Service Bus Data Sender, Receiver and Owner.
var roleOf = {
  sender: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39')
  receiver: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0')
  owner: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '090c5cfd-751d-490a-894a-3ce6f1109419')
}

var grants = [
  { principalId: senderId, role: roleOf.sender }
  { principalId: receiverId, role: roleOf.receiver }
  { principalId: receiverId, role: roleOf.sender } // it reschedules messages
  { principalId: ownerId, role: roleOf.owner }
]

resource assignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for it in grants: {
  name: guid(queue.id, it.principalId, it.role)
  scope: queue
  properties: { roleDefinitionId: it.role, principalId: it.principalId, principalType: 'ServicePrincipal' }
}]

resource addsToFailedQueue 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(failedQueue.id, receiverId, roleOf.sender)
  scope: failedQueue
  properties: { roleDefinitionId: roleOf.sender, principalId: receiverId, principalType: 'ServicePrincipal' }
}

output name string = bus.name
