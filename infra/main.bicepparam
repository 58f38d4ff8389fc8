// The defaults are the nodes of stage 1 and the chart's queue. To change one, run `azd env set NODE_COUNT 12`, then `azd provision`.
using 'main.bicep'

var queue = loadYamlContent('../helm/drone-delivery/values.yaml').serviceBus

param group = readEnvironmentVariable('AZURE_ENV_NAME', 'drone-delivery')
param location = readEnvironmentVariable('AZURE_LOCATION', 'eastus2')
param redisLocation = readEnvironmentVariable('REDIS_LOCATION', location)
param postgresLocation = readEnvironmentVariable('POSTGRES_LOCATION', location)
param nodeCount = int(readEnvironmentVariable('NODE_COUNT', '6'))
param nodeSize = readEnvironmentVariable('NODE_SIZE', 'Standard_D2s_v5')
param serviceBusTier = readEnvironmentVariable('SERVICE_BUS_TIER', 'Standard')
param lockDuration = readEnvironmentVariable('LOCK_DURATION', queue.lockDuration)
param maxDeliveryCount = int(readEnvironmentVariable('MAX_DELIVERY_COUNT', '${queue.maxDeliveryCount}'))
param redisSku = readEnvironmentVariable('REDIS_SKU', 'Balanced_B1')
param postgresSku = readEnvironmentVariable('POSTGRES_SKU', 'Standard_B2s')
param postgresStorage = int(readEnvironmentVariable('POSTGRES_STORAGE', '32'))
param dailyLogCap = int(readEnvironmentVariable('DAILY_LOG_CAP', '5'))
param monthlyBudget = int(readEnvironmentVariable('MONTHLY_BUDGET', '1500'))
param budgetStart = readEnvironmentVariable('BUDGET_START', '') // infra/preflight sets it
param alertEmail = readEnvironmentVariable('ALERT_EMAIL', '')
param apiServerRanges = readEnvironmentVariable('API_SERVER_RANGES', '')
param servicePrincipalName = readEnvironmentVariable('SERVICE_PRINCIPAL_NAME', '') // .github/workflows/azure-dev.yml sets it
