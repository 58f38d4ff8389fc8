namespace DroneDelivery.Lab.Tests.Commands;

[Trait("tier", "slow")]
public sealed class UpWithTests
{
    [Fact]
    public async Task A_person_goes_through_the_gateway_as_the_guide_says()
    {
        SmokeSummary.RequireK6();
        await using var lab = new LabProcess();
        using var up = await lab.UpAsync("--with", "gateway");

        var byHand = await TypedByHand.EverythingAsync(lab.Guide);
        var sent = await lab.RunAsync("send", "-n", "20", "--through", "gateway");
        var past = await lab.RunAsync("send", "-n", "5");

        Assert.Equal((40, 40), SmokeSummary.ChecksOf(sent.Output));
        Assert.Equal((10, 10), SmokeSummary.ChecksOf(past.Output));
        Assert.Equal(2, byHand);

        Assert.True(Signals.Terminate(up.Id));
        await up.WaitForExitAsync(Cancel);

        Assert.Equal(0, up.ExitCode);
        Assert.All((int[])[5100, 5600], port => Assert.True(Ports.IsFree(port + lab.PortOffset), $"{port}"));
        Assert.False(Directory.Exists(Path.Combine(lab.Artifacts, "lab", "up", "data")));
        // By hand, 20 sent, and how far each of them is.
        Assert.Equal(
            "gateway",
            await RolesAsync(
                lab,
                "requests | where name startswith 'POST ' and resultCode == '202'"
                    + " | summarize n = count() by cloud_RoleName | where n == 21 | project cloud_RoleName"
            )
        );
    }

    private static async Task<string> RolesAsync(LabProcess lab, string query)
    {
        var folder = Path.Combine(lab.Artifacts, "lab", "up");
        var answer = await lab.RunAsync("query", "--run", folder, "--format", "csv", "-e", query);
        Assert.Equal(0, answer.ExitCode);
        return string.Join(',', answer.Output.TrimEnd().Split('\n').Skip(1).Select(line => line.Trim()));
    }
}
