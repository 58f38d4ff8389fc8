namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary>No Bicep compiler is asked: what must stand in a template is looked for in its text.</summary>
public sealed class BicepTemplateTests
{
    [Fact]
    public void Redis_refuses_what_it_has_no_memory_for_instead_of_dropping_live_deliveries() =>
        Assert.Contains("evictionPolicy: 'NoEviction'", Template("modules/redis.bicep"), StringComparison.Ordinal);

    [Fact]
    public void Redis_has_no_shards_because_a_script_s_keys_are_of_different_slots()
    {
        var redis = Template("modules/redis.bicep");

        Assert.Contains("clusteringPolicy: 'NoCluster'", redis, StringComparison.Ordinal);
        // The first version of the API that has this policy; it also insists on hearing about public access.
        Assert.Contains("'Microsoft.Cache/redisEnterprise/databases@2025-07-01'", redis, StringComparison.Ordinal);
        Assert.Contains("publicNetworkAccess: 'Enabled'", redis, StringComparison.Ordinal);
    }

    [Fact]
    public void Whoever_deploys_may_use_the_cluster_which_has_no_accounts_of_its_own()
    {
        var cluster = Template("modules/cluster.bicep");

        Assert.Contains("disableLocalAccounts: true", cluster, StringComparison.Ordinal);
        // Azure Kubernetes Service RBAC Cluster Admin
        Assert.Contains("b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b", cluster, StringComparison.Ordinal);
        Assert.Matches(@"scope: cluster\s+properties: \{ roleDefinitionId: clusterAdmin, principalId: deployerId \}", cluster);
        Assert.Contains("deployerId: deployer().objectId", Template("main.bicep"), StringComparison.Ordinal);
    }

    [Fact]
    public void Workflow_may_send_because_it_schedules_again_what_waits_for_its_delivery() =>
        Assert.Contains(
            "{ principalId: receiverId, role: '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39' }", // Azure Service Bus Data Sender
            Template("modules/serviceBus.bicep"),
            StringComparison.Ordinal);

    [Fact]
    public void Only_who_changes_tables_is_an_administrator_of_PostgreSQL()
    {
        var main = Template("main.bicep");

        Assert.Contains(
            "administrator: { name: 'drone-migration', principalId: migration.outputs.principalId }", main, StringComparison.Ordinal);
        Assert.Contains("namespace: 'drone-delivery', account: 'migration' }", main, StringComparison.Ordinal);
        Assert.Contains("migrationClientId: migration.outputs.clientId", main, StringComparison.Ordinal);
        Assert.DoesNotContain("drone-package", Template("modules/postgres.bicep"), StringComparison.Ordinal);
        foreach (var role in new[] { "drone-package", "drone-dronescheduler" })
        {
            // The two flags: no administrator, no multi-factor log-in.
            Assert.Contains($"pgaadauth_create_principal('{role}', false, false);", Template("roles.sql"), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void The_queue_gives_up_a_message_long_before_its_assignment_is_deleted()
    {
        var queue = Template("modules/serviceBus.bicep");

        Assert.Contains("defaultMessageTimeToLive: 'P14D'", queue, StringComparison.Ordinal);
        Assert.Contains("deadLetteringOnMessageExpiration: true", queue, StringComparison.Ordinal);
    }

    [Fact]
    public void The_cluster_serves_the_class_of_the_chart_s_Gateway_and_keeps_it_when_it_is_deployed_again()
    {
        var cluster = Template("modules/cluster.bicep");

        // The first version of the API that has both; what an earlier one does not name, a second deployment would take away.
        Assert.Contains("'Microsoft.ContainerService/managedClusters@2026-04-01'", cluster, StringComparison.Ordinal);
        Assert.Contains("gatewayAPI: { installation: 'Standard' }", cluster, StringComparison.Ordinal);
        Assert.Contains(
            "webAppRouting: { gatewayAPIImplementations: { appRoutingIstio: { mode: 'Enabled' } } }", cluster, StringComparison.Ordinal);
        Assert.DoesNotContain("az aks update", Template("up"), StringComparison.Ordinal);
    }

    [Fact]
    public void The_agent_of_Container_insights_is_told_what_to_collect()
    {
        var (cluster, monitoring) = (Template("modules/cluster.bicep"), Template("modules/monitoring.bicep"));

        Assert.Contains("useAADAuth: 'true'", cluster, StringComparison.Ordinal);
        Assert.Matches(
            @"dataCollectionRuleAssociations@[\d-]+' = \{\s+name: 'ContainerInsightsExtension'\s+"
            + @"scope: cluster\s+properties: \{ dataCollectionRuleId: collectionRuleId \}",
            cluster);
        Assert.Contains("collectionRuleId: monitoring.outputs.collectionRuleId", Template("main.bicep"), StringComparison.Ordinal);
        Assert.Contains("output collectionRuleId string = collectionRule.id", monitoring, StringComparison.Ordinal);
        Assert.Matches(@"dataFlows: \[\{ streams: containerInsights, destinations: \['workspace'\] \}\]", monitoring);
        Assert.Contains("logAnalytics: [{ name: 'workspace', workspaceResourceId: workspace.id }]", monitoring, StringComparison.Ordinal);
    }

    private static string Template(string path) => File.ReadAllText(Path.Combine(Repository.Root, "infra", path));
}
