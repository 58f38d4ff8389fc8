using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Tests.Processes;

public sealed class ReadinessTests
{
    [Fact]
    public async Task Unanswered_readiness_probe_is_repeated()
    {
        var asked = 0;
        using var folder = new OwnFolder();
        await using var host = LabHost.Create("http://127.0.0.1:0", maxBytes: 1000);
        host.MapGet("/health/ready", (HttpContext context) =>
            Interlocked.Increment(ref asked) == 1
                ? Task.Delay(Timeout.Infinite, context.RequestAborted)
                : Task.CompletedTask
        );
        await host.StartAsync(Cancel);
        await using var process = ChildProcess.Start(
            "slow",
            Path.Combine(folder.Path, "log"),
            folder.Path,
            new Dictionary<string, string>(),
            ["sleep", "600"]
        );
        var crash = new TaskCompletionSource<CrashException>();
        using var readiness = new Readiness(crash.Task, new Progress<(int, int)>(), all: 1, seconds: 0.2);

        await readiness.WaitAsync(process, new Uri(host.Urls.Single() + "/"), Cancel);

        Assert.True(asked > 1);
        await process.StopAsync(TimeSpan.FromSeconds(10));
    }
}
