// The two queues and their roles. Keys are off.
param location string
param name string
param tier string
param lockDuration string
param maxDeliveryCount int
param senderId string
param receiverId string
@description('KEDA, which needs manage rights to read the length of the queue.')
param ownerId string

resource bus 'Microsoft.ServiceBus/namespaces@2024-01-01' = {
  name: name
  location: location
  sku: { name: tier, tier: tier }
  properties: { disableLocalAuth: true, minimumTlsVersion: '1.2' }
}

resource queue 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = {
  parent: bus
  name: 'delivery-requests'
  properties: {
    lockDuration: lockDuration
    maxDeliveryCount: maxDeliveryCount
    // Shorter than DroneScheduler's Retention:Period, or a late message would be given a second drone.
    defaultMessageTimeToLive: 'P14D'
    deadLetteringOnMessageExpiration: true
  }
}

resource failedQueue 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = {
  parent: bus
  name: 'delivery-requests-failed'
  properties: { deadLetteringOnMessageExpiration: true }
}

resource addsToFailedQueue 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(failedQueue.id, receiverId, 'Data Sender')
  scope: failedQueue
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39')
    principalId: receiverId
    principalType: 'ServicePrincipal'
  }
}

var roles = [
  { principalId: senderId, role: '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39' } // Azure Service Bus Data Sender
  { principalId: receiverId, role: '4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0' } // Azure Service Bus Data Receiver
  { principalId: receiverId, role: '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39' } // also Data Sender: it reschedules messages
  { principalId: ownerId, role: '090c5cfd-751d-490a-894a-3ce6f1109419' } // Azure Service Bus Data Owner
]

resource assignments 'Microsoft.Authorization/roleAssignments@2022-04-01' = [for (it, index) in roles: {
  name: guid(queue.id, it.role, string(index))
  scope: queue
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', it.role)
    principalId: it.principalId
    principalType: 'ServicePrincipal'
  }
}]

output name string = bus.name
