using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Tests.Runs;

/// <summary><c>./lab serve</c> and the k6 scripts that it prepares the application for.</summary>
[Trait("tier", "slow")]
public sealed class ServeTests
{
    [Fact]
    public async Task Script_reports_the_queue_while_serve_runs()
    {
        SmokeSummary.RequireK6();

        var result = await ServedScript.RunAsync(
            "2-cache",
            "--replicas",
            "ingestion=1,workflow=1,package=1,dronescheduler=1,delivery=1"
        );

        Assert.True(result.ExitCode is 0 or 99, result.Output);
        Assert.Matches(@"queue_incoming\.+: [1-9]", result.Output);
        Assert.Matches(@"queue_completed\.+: [1-9]", result.Output);
        Assert.Matches(@"in_out_plateau\n +[✓✗] 'value>=5'", result.Output);
        Assert.Matches(@"node_p95\n +[✓✗] 'value<=45'", result.Output);
    }

    [Fact]
    public async Task Serve_rejects_stages_that_it_cannot_prepare()
    {
        await using var lab = new LabProcess();
        using var http = Loopback.CreateClient();
        var load = await lab.InvokeAsync("serve", "--set", "load.maxUsers=5");
        await lab.LaunchAsync("serve", "--port-offset", $"{lab.PortOffset}");
        var stages = new Uri($"http://127.0.0.1:{5080 + lab.PortOffset}/stages/");

        using var reading = await http.GetAsync(new Uri(stages, "reading"), Cancel);
        using var unknown = await http.PutAsync(new Uri(stages, "7?k=8"), content: null, Cancel);

        Assert.Equal(2, load.ExitCode);
        Assert.Contains("The script sets load.maxUsers", load.Error, StringComparison.Ordinal);
        Assert.Equal(StatusCodes.Status409Conflict, (int)reading.StatusCode);
        Assert.Equal(StatusCodes.Status400BadRequest, (int)unknown.StatusCode);
        Assert.StartsWith(
            "7 is not a stage.",
            await unknown.Content.ReadAsStringAsync(Cancel),
            StringComparison.Ordinal
        );
    }
}
