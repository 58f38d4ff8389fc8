using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Tests.Load;

/// <summary><c>loadtest/k6/smoke.js</c>, directly and as <c>./lab send</c>.</summary>
public sealed class SmokeTests
{
    [Theory]
    [InlineData(202, "Created", 0)]
    [InlineData(202, "Failed", 99)]
    [InlineData(400, "Created", 99)]
    public async Task Rejected_or_failed_delivery_fails_a_threshold(int status, string stage, int exitCode)
    {
        SmokeSummary.RequireK6();
        await using var ingestion = await IngestionAsync(status, stage);

        var result = await RunAsync($"TARGETS={ingestion.Urls.First()}", "DELIVERIES=3");

        Assert.True(result.ExitCode == exitCode, result.Output + result.Error);
    }

    [Fact]
    public async Task Request_is_retried_with_its_id_during_an_outage()
    {
        SmokeSummary.RequireK6();
        var ids = new ConcurrentQueue<string>();
        await using var ingestion = await IngestionAsync(202, "Created", ids, unavailable: 2);

        var result = await RunAsync($"TARGETS={ingestion.Urls.First()}", "DELIVERIES=1");

        Assert.True(result.ExitCode == 0, result.Output + result.Error);
        Assert.Equal(3, ids.Count);
        Assert.Single(ids.Distinct());
    }

    [Theory]
    [InlineData(401, 0)]
    [InlineData(202, 99)]
    public async Task Accepted_request_fails_a_check_that_expects_a_rejection(int status, int exitCode)
    {
        SmokeSummary.RequireK6();
        await using var ingestion = await IngestionAsync(status, "Created");

        var result = await RunAsync($"TARGETS={ingestion.Urls.First()}", "DELIVERIES=1", "EXPECTED=401");

        Assert.True(result.ExitCode == exitCode, result.Output + result.Error);
    }

    [Theory]
    [InlineData(202, 0, 4, 4)]
    [InlineData(400, 1, 0, 2)]
    public async Task Send_returns_the_outcome_of_the_script(int status, int exitCode, int succeeded, int all)
    {
        SmokeSummary.RequireK6();
        await using var server = await IngestionAsync(status, "Created");
        await using var lab = new LabProcess();
        var folder = Directory.CreateDirectory(Path.Combine(lab.Artifacts, "lab")).FullName;
        await using var held = new FileStream(
            Path.Combine(folder, "lock"),
            FileMode.Create,
            FileAccess.ReadWrite,
            FileShare.None
        );
        var address = new Uri(server.Urls.First());
        var ingestion = new ReplicaState("ingestion", 0, Environment.ProcessId, address);
        var state = new LabState("", [ingestion]);
        await File.WriteAllTextAsync(
            Path.Combine(folder, "state.json"),
            JsonSerializer.Serialize(state, JsonSerializerOptions.Web),
            Cancel
        );

        var result = await lab.RunAsync("send", "-n", "2");

        Assert.Equal(exitCode, result.ExitCode);
        Assert.Equal((succeeded, all), SmokeSummary.ChecksOf(result.Output));
    }

    /// <param name="stage">The stage of every delivery, from the second status request on.</param>
    /// <param name="ids">Receives the id of each request.</param>
    /// <param name="unavailable">The number of requests that return 503 first.</param>
    private static async Task<WebApplication> IngestionAsync(
        int status,
        string stage,
        ConcurrentQueue<string>? ids = null,
        int unavailable = 0
    )
    {
        var app = LabHost.Create("http://127.0.0.1:0", maxBytes: 1 << 20);
        var (asked, requests) = (0, 0);
        app.MapPost("/api/deliveryrequests", (HttpContext context, JsonElement request) =>
        {
            ids?.Enqueue(request.GetProperty("deliveryId").GetString()!);
            if (Interlocked.Increment(ref requests) <= unavailable)
            {
                context.Response.Headers.RetryAfter = "1";
                return Results.StatusCode(StatusCodes.Status503ServiceUnavailable);
            }
            context.Response.Headers.Location = "/api/deliveryrequests/1";
            return Results.StatusCode(status);
        });
        app.MapGet("/api/deliveryrequests/1", () =>
            Interlocked.Increment(ref asked) == 1 ? Results.Accepted() : Results.Json(new { stage })
        );
        await app.StartAsync(Cancel);
        return app;
    }

    private static Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] variables) =>
        TestProcess.RunAsync(
            "k6",
            [
                "run",
                "--quiet",
                "--address",
                "",
                .. variables.SelectMany(variable => new[] { "-e", variable }),
                K6Driver.ScriptPath("smoke"),
            ]
        );
}
