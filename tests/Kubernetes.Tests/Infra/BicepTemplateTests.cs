namespace DroneDelivery.Kubernetes.Tests.Infra;

public sealed class BicepTemplateTests
{
    [Fact]
    public async Task Templates_compile_without_warnings_and_secrets()
    {
        var text = (await BicepTemplate.Compiled).ToJsonString();
        await BicepTemplate.RunAsync("build-params", "infra/main.bicepparam");

        // A deploying service principal has no such property, and a template that reads it fails.
        Assert.DoesNotContain("deployer().userPrincipalName", text, StringComparison.Ordinal);
        Assert.Contains("tryGet(deployer(), ", text, StringComparison.Ordinal);
        Assert.DoesNotContain("listKeys", text, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("secureString", text, StringComparison.OrdinalIgnoreCase);
    }

    [Theory]
    // No resource can be accessed with a key or a password.
    [InlineData("Microsoft.ServiceBus/namespaces", "disableLocalAuth", "true")]
    [InlineData("Microsoft.ContainerRegistry/registries", "adminUserEnabled", "false")]
    [InlineData(Cluster, "disableLocalAccounts", "true")]
    [InlineData(Redis, "accessKeysAuthentication", "Disabled")]
    [InlineData(Postgres, "authConfig.passwordAuth", "Disabled")]
    // The cap limits the cost of logs, and the Gateway's log with one line per request isn't collected.
    [InlineData(Workspace, "workspaceCapping.dailyQuotaGb", "[parameters('dailyLogCap')]")]
    // Redis rejects writes when it is full, and has no shards, because the keys of a script are in different slots.
    [InlineData(Redis, "evictionPolicy", "NoEviction")]
    [InlineData(Redis, "clusteringPolicy", "NoCluster")]
    // A PostgreSQL server with less than 5 GB free accepts no writes.
    [InlineData(Postgres, "storage.autoGrow", "Enabled")]
    // A full queue rejects deliveries, and the default size is a fifth of this one.
    [InlineData("Microsoft.ServiceBus/namespaces/queues", "maxSizeInMegabytes", "[variables('queueSize')]")]
    // The queries of alerts are created before their tables.
    [InlineData("Microsoft.Insights/scheduledQueryRules", "skipQueryValidation", "true")]
    [InlineData(
        Cluster,
        "apiServerAccessProfile.authorizedIPRanges",
        "[if(empty(parameters('apiServerRanges')), createArray(), map(split(parameters('apiServerRanges'), ','), lambda('block', trim(lambdaVariables('block')))))]"
    )]
    // The class of the chart's Gateway.
    [InlineData(Cluster, "ingressProfile.gatewayAPI.installation", "Standard")]
    [InlineData(Cluster, "ingressProfile.webAppRouting.gatewayAPIImplementations.appRoutingIstio.mode", "Enabled")]
    public async Task Resource_property_has_the_required_value(string type, string path, string value)
    {
        var properties = await BicepTemplate.PropertiesAsync(type);

        Assert.Equal(value, $"{path.Split('.').Aggregate(properties, (node, part) => node[part]!)}");
    }

    [Fact]
    public async Task Resources_match_the_snapshot()
    {
        var result = await BicepTemplate.CompareWithSnapshotAsync();

        Assert.True(
            result.ExitCode == 0,
            $"{result.Output}\n{result.Error}\nIf this is intended: {BicepTemplate.Overwrite}"
        );
    }

    [Theory]
    [InlineData("NODE_COUNT", "7")]
    [InlineData("POSTGRES_STORAGE", "64")] // a disk that has grown can't be deployed with its old size
    public async Task Changed_parameter_differs_from_the_snapshot(string name, string value)
    {
        var result = await BicepTemplate.CompareWithSnapshotAsync(KeyValuePair.Create(name, value));

        Assert.NotEqual(0, result.ExitCode);
    }

    [Fact]
    public async Task Alerts_reach_the_owners_and_the_configured_address()
    {
        var rules = await BicepTemplate.ResourcesAsync("Microsoft.Insights/scheduledQueryRules");
        var stores = await BicepTemplate.ResourcesAsync("Microsoft.Insights/metricAlerts");
        var group = Assert.Single(await BicepTemplate.ResourcesAsync("Microsoft.Insights/actionGroups"));
        var budget = await BicepTemplate.PropertiesAsync("Microsoft.Consumption/budgets");

        Assert.Contains("actionGroups", $"{Assert.Single(rules)["properties"]!["actions"]}", StringComparison.Ordinal);
        Assert.All(stores, it =>
            Assert.Contains("actionGroupId", $"{it["properties"]!["actions"]}", StringComparison.Ordinal)
        );
        Assert.Contains(
            "parameters('alertEmail')",
            $"{group["properties"]!["emailReceivers"]}",
            StringComparison.Ordinal
        );
        Assert.Contains(
            "if(empty(parameters('email')), createArray(), createArray(parameters('email')))",
            $"{budget["notifications"]}",
            StringComparison.Ordinal
        );
        const string Owner = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635";
        Assert.Equal(Owner, $"{group["properties"]!["armRoleReceivers"]![0]!["roleId"]}");
    }

    /// <summary>Log alerts don't fire once the logs have reached their cap.</summary>
    [Theory]
    [InlineData("redisAlert", "usedmemorypercentage")]
    [InlineData("databaseAlert", "storage_percent")]
    public async Task Store_that_fills_raises_an_alert_without_logs(string module, string metric)
    {
        var parameters = (await BicepTemplate.Compiled)["resources"]![module]!["properties"]!["parameters"]!;

        Assert.Equal(metric, $"{parameters["metric"]!["value"]}");
        Assert.Equal(2, (await BicepTemplate.ResourcesAsync("Microsoft.Insights/metricAlerts")).Count);
    }

    /// <summary>AKS creates the nodes, which are most of the cost, in a separate resource group.</summary>
    [Fact]
    public async Task Budget_includes_the_nodes()
    {
        var budget = Assert.Single(await BicepTemplate.ResourcesAsync("Microsoft.Consumption/budgets"));
        var variables = await BicepTemplate.VariablesAsync();
        var parameters = (await BicepTemplate.Compiled)["resources"]!["budget"]!["properties"]!["parameters"]!;

        Assert.Equal(
            "[and(not(empty(parameters('budgetStart'))), greater(parameters('monthlyBudget'), 0))]",
            $"{(await BicepTemplate.Compiled)["resources"]!["budget"]!["condition"]}"
        );
        Assert.Equal("[format('{0}-nodes', parameters('group'))]", $"{variables["nodeGroup"]}");
        Assert.Equal(
            ["[parameters('group')]", "[variables('nodeGroup')]"],
            parameters["groups"]!["value"]!.AsArray().Select(it => $"{it}")
        );
        Assert.Equal("[parameters('groups')]", $"{budget["properties"]!["filter"]!["dimensions"]!["values"]}");
        var cluster = await BicepTemplate.PropertiesAsync(Cluster);
        Assert.Equal("[parameters('nodeGroup')]", $"{cluster["nodeResourceGroup"]}");
    }

    [Fact]
    public async Task Patches_are_installed_in_the_maintenance_window()
    {
        var channels = (await BicepTemplate.PropertiesAsync(Cluster))["autoUpgradeProfile"]!;
        var hours = Assert.Single(await BicepTemplate.ResourcesAsync($"{Cluster}/maintenanceConfigurations"));

        Assert.Equal("patch", $"{channels["upgradeChannel"]}");
        Assert.Equal("NodeImage", $"{channels["nodeOSUpgradeChannel"]}");
        Assert.Equal("Sunday", $"{hours["properties"]!["maintenanceWindow"]!["schedule"]!["weekly"]!["dayOfWeek"]}");
    }

    [Fact]
    public async Task Deploying_service_principal_administers_the_database()
    {
        var parameters = (await BicepTemplate.Compiled)["resources"]!["database"]!["properties"]!["parameters"]!;

        Assert.Equal("[variables('deployerName')]", $"{parameters["deployerName"]!["value"]}");
        Assert.Equal(
            "[if(empty(variables('person')), createObject('value', 'ServicePrincipal'), createObject('value', 'User'))]",
            $"{parameters["deployerType"]}"
        );
    }

    [Fact]
    public async Task Every_pool_survives_the_loss_of_a_zone()
    {
        var pools = (await BicepTemplate.PropertiesAsync(Cluster))["agentPoolProfiles"]!.AsArray();

        Assert.All(pools, pool => Assert.Equal(3, pool!["availabilityZones"]?.AsArray().Count));
    }

    [Fact]
    public async Task Role_assignment_name_depends_on_its_principal()
    {
        var assignments = await BicepTemplate.ResourcesAsync("Microsoft.Authorization/roleAssignments");

        Assert.Equal(4, assignments.Count);
        Assert.All(assignments, it =>
            Assert.Contains(
                $"{it["properties"]!["principalId"]}".Trim('[', ']'),
                $"{it["name"]}",
                StringComparison.Ordinal
            )
        );
    }

    /// <summary>Newer versions of AKS run a DNS proxy on nodes by default, at an address that isn't a pod's.</summary>
    [Fact]
    public async Task Pods_resolve_names_where_network_policies_allow_it()
    {
        var pools = (await BicepTemplate.PropertiesAsync(Cluster))["agentPoolProfiles"]!.AsArray();

        Assert.All(pools, pool => Assert.Equal("Disabled", $"{pool!["localDNSProfile"]?["mode"]}"));
    }

    /// <summary>A server that is busy with another change rejects the next one.</summary>
    [Fact]
    public async Task PostgreSQL_resources_are_changed_one_after_another()
    {
        var children = new List<JsonNode>();
        foreach (var type in new[] { "databases", "firewallRules", "administrators" })
            children.AddRange(await BicepTemplate.ResourcesAsync($"{Postgres}/{type}"));

        Assert.Equal(4, children.Count);
        Assert.Distinct(children.Select(it => it["dependsOn"]!.ToJsonString()));
    }

    /// <summary>
    /// Without an administrator, Azure would own the new database. With two, the deployer might own it.
    /// </summary>
    [Fact]
    public async Task Migration_identity_owns_the_PostgreSQL_database()
    {
        var administrators = await BicepTemplate.ResourcesAsync($"{Postgres}/administrators");
        var modules = (await BicepTemplate.Compiled)["resources"]!;
        var migrator = modules["migration"]!["properties"]!["parameters"]!["name"]!["value"];
        var main = modules["database"]!["properties"]!["parameters"]!["administrator"]!["value"]!;
        var database = (await BicepTemplate.ResourcesAsync($"{Postgres}/databases")).Single();
        var person = administrators.Single(it => it["condition"] is not null);

        Assert.Equal(
            ["[parameters('administrator').name]", "[parameters('deployerName')]"],
            administrators.Select(it => $"{it["properties"]!["principalName"]}").Order(StringComparer.Ordinal)
        );
        Assert.Equal($"{migrator}", $"{main["name"]}");
        AssertWaitsFor("administrators', parameters('name'), parameters('administrator').principalId)", database);
        AssertWaitsFor("databases', parameters('name'), parameters('database'))", person);

        static void AssertWaitsFor(string resource, JsonNode it) =>
            Assert.Contains(
                $"[resourceId('{Postgres}/{resource}]",
                it["dependsOn"]!.AsArray().Select(name => $"{name}")
            );
    }

    private const string Cluster = "Microsoft.ContainerService/managedClusters",
        Workspace = "Microsoft.OperationalInsights/workspaces",
        Redis = "Microsoft.Cache/redisEnterprise/databases",
        Postgres = "Microsoft.DBforPostgreSQL/flexibleServers";
}
