using Azure.Data.Tables;

namespace DroneDelivery.Lab.Tests.Commands;

[Trait("tier", "slow")]
public sealed class UpWithTests
{
    internal const string NoNode =
        "node and npm are not installed: Azurite, and with it the tracking service, was left out.";

    internal static bool HasNode => Executable.OnPath("node") is not null && Executable.OnPath("npm") is not null;

    [Fact]
    public async Task A_person_goes_through_the_gateway_and_opens_a_mail_as_the_guide_says()
    {
        Assert.SkipUnless(HasNode, NoNode);
        SmokeSummary.RequireK6();
        await using var lab = new LabProcess();
        using var up = await lab.UpAsync("--with", "gateway,tracking");

        var byHand = await TypedByHand.EverythingAsync(lab.Guide);
        var sent = await lab.RunAsync("send", "-n", "20", "--through", "gateway");
        var past = await lab.RunAsync("send", "-n", "5");
        var status = await lab.WellAsync();

        Assert.Equal((40, 40), SmokeSummary.ChecksOf(sent.Output));
        Assert.Equal((10, 10), SmokeSummary.ChecksOf(past.Output));
        Assert.Equal(2, byHand);
        var tables = lab
            .Guide.Select(line => line.Trim())
            .Single(line => line.StartsWith("Table storage ", StringComparison.Ordinal));
        var hit = Assert.Single(await EntitiesAsync(tables["Table storage ".Length..], "opened"));
        Assert.Equal(("fabrikam", (object)"reader-1"), (hit.PartitionKey, hit["Tracker"]));
        Assert.Equal(0, status.ExitCode);
        Assert.Contains(
            $"tables {AzuriteServer.Url(10002 + lab.PortOffset)} (Azurite)",
            status.Output,
            StringComparison.Ordinal
        );
        Assert.Matches("gateway 0 +ready", status.Output);
        Assert.Matches("tracking 0 +ready", status.Output);

        Assert.True(Signals.Terminate(up.Id));
        await up.WaitForExitAsync(Cancel);

        Assert.Equal(0, up.ExitCode);
        Assert.All((int[])[5100, 5600, 5700, 10002], port =>
            Assert.True(Ports.IsFree(port + lab.PortOffset), $"{port}")
        );
        Assert.False(Directory.Exists(Path.Combine(lab.Artifacts, "lab", "up", "data")));
        // What each of the two was asked is told by itself: by hand, 20 sent, and how far each of them is.
        Assert.Equal(
            "gateway",
            await RolesAsync(
                lab,
                "requests | where name startswith 'POST ' and resultCode == '202'"
                    + " | summarize n = count() by cloud_RoleName | where n == 21 | project cloud_RoleName"
            )
        );
        Assert.Equal(
            "tracking",
            await RolesAsync(lab, "requests | where name startswith 'GET /track/{table}' | distinct cloud_RoleName")
        );
    }

    [Fact]
    public async Task Azurite_that_dies_is_started_again_without_what_it_held()
    {
        Assert.SkipUnless(HasNode, NoNode);
        await using var running = await RunningApplication.StartAsync(
            DeclaredEnvironment.None,
            ["workflow.replicas=0"],
            plan => plan with { With = [Service.Tracking] }
        );
        var azurite = running.Application.Processes.Single(process => process.Name == "azurite");
        var tables = AzuriteServer.ConnectionString(running.Plan.Ports.Azurite);
        await OpenMailAsync(running);
        var before = await EntitiesAsync(tables, "opened");
        await RunningApplication.KillAsync(azurite);

        await running.Application.RestartAsync("azurite", Cancel);

        await OpenMailAsync(running);
        var after = Assert.Single(await EntitiesAsync(tables, "opened"));
        Assert.NotEqual(Assert.Single(before).RowKey, after.RowKey);
    }

    private static async Task<string> RolesAsync(LabProcess lab, string query)
    {
        var folder = Path.Combine(lab.Artifacts, "lab", "up");
        var answer = await lab.RunAsync("query", "--run", folder, "--format", "csv", "-e", query);
        Assert.Equal(0, answer.ExitCode);
        return string.Join(',', answer.Output.TrimEnd().Split('\n').Skip(1).Select(line => line.Trim()));
    }

    /// <summary>Until the pixel is answered: whoever stores may learn first that its table is gone.</summary>
    private static async Task OpenMailAsync(RunningApplication running)
    {
        var url = new Uri(running.Plan.Url(Service.Tracking, 0), "track/opened?account=fabrikam");
        using var answer = await UntilAsync(
            () => running.Http.GetAsync(url, Cancel),
            answer => answer.StatusCode == HttpStatusCode.OK
        );
    }

    private static ValueTask<List<TableEntity>> EntitiesAsync(string connectionString, string table) =>
        new TableClient(connectionString, table).QueryAsync<TableEntity>(cancellationToken: Cancel).ToListAsync(Cancel);
}
