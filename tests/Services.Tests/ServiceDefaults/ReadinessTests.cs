using System.Net;
using System.Text.Json;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class ReadinessTests : IAsyncLifetime
{
    private readonly ManualTimeProvider _time = new();
    private readonly RecordedLogs _logs = new();
    private Func<CancellationToken, Task> _ask = _ => Task.CompletedTask;
    private WebApplication _app = null!;
    private HttpClient _http = null!;

    public async ValueTask InitializeAsync()
    {
        _app = LocalServer.Build(
            builder =>
            {
                builder.Services.AddSingleton<TimeProvider>(_time);
                builder.AddServiceDefaults("test");
                builder.Services.AddDependency("store", "The store does not answer.", (_, token) => _ask(token));
                builder.Logging.AddProvider(_logs);
            },
            new() { ["Logging:LogLevel:Microsoft.AspNetCore.Routing"] = "Error" }
        );
        _app.MapServiceDefaults();
        var api = _app.MapApi("/api");
        api.MapGet("/away/{seconds}", IResult (double seconds) => throw Away(TimeSpan.FromSeconds(seconds)));
        api.MapGet("/broken", IResult () => throw new InvalidOperationException("secret"));
        await _app.StartAsync(Cancelled);
        _http = new HttpClient { BaseAddress = new Uri(_app.Urls.First()) };
    }

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _app.DisposeAsync();
    }

    [Fact]
    public async Task Service_becomes_ready_with_its_dependency_and_stays_ready()
    {
        _ask = _ => throw new TimeoutException("driver at 10.0.0.7");
        Assert.Equal(
            (HttpStatusCode.ServiceUnavailable, "Unhealthy", "The store does not answer."),
            await ReadyAsync()
        );
        Assert.Equal(
            (HttpStatusCode.ServiceUnavailable, "Unhealthy", "The store does not answer."),
            await ReadyAsync()
        );
        Assert.Equal(HttpStatusCode.OK, await _http.StatusAsync("/health/live"));

        _ask = _ => Task.CompletedTask;
        Assert.Equal((HttpStatusCode.OK, "Healthy", null), await ReadyAsync());
        _ask = _ => throw new TimeoutException("driver at 10.0.0.7");
        Assert.Equal((HttpStatusCode.OK, "Degraded", "The store does not answer."), await ReadyAsync());
        _ask = _ => Task.CompletedTask;
        Assert.Equal((HttpStatusCode.OK, "Healthy", null), await ReadyAsync());
    }

    [Fact]
    public async Task Each_cause_of_an_outage_is_logged_once()
    {
        _ask = _ => throw Away(TimeSpan.FromSeconds(1));
        Assert.Equal(HttpStatusCode.ServiceUnavailable, (await ReadyAsync()).Code);
        Assert.Empty(_logs.With("Readiness"));
        foreach (var cause in (string?[])["Full.", "Full.", "Gone.", null, null, "Gone."])
        {
            _ask = _ => cause is null ? Task.CompletedTask : throw new TimeoutException(cause);
            await ReadyAsync();
        }

        const string store = "Readiness (store)",
            full = "Warning: TimeoutException: Full",
            gone = "Warning: TimeoutException: Gone";
        Assert.Equal(
            [full, gone, "Information recovered", gone],
            _logs.With(store).Select(line => line.Split(' ')[0] + line.Split(store)[1].Split('.')[0])
        );
    }

    [Theory]
    [InlineData(false, 1.9, "Unhealthy")]
    [InlineData(true, 0.9, "Degraded")]
    public async Task Silent_dependency_does_not_delay_the_probe(bool answeredBefore, double patience, string status)
    {
        if (answeredBefore)
            await ReadyAsync();
        var asked = new TaskCompletionSource();
        _ask = _ =>
        {
            asked.TrySetResult();
            return Task.Delay(Timeout.Infinite, CancellationToken.None); // It ignores its cancellation token, too.
        };

        var probe = ReadyAsync();
        await asked.Task;
        _time.Advance(TimeSpan.FromSeconds(patience));
        Assert.False(probe.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(0.2));

        Assert.Equal(status, (await probe).Status);
    }

    [Theory]
    [InlineData("0", "1")]
    [InlineData("1", "1")]
    [InlineData("1.1", "2")]
    [InlineData("5", "5")]
    public async Task Unavailable_response_contains_cause_and_RetryAfter_only(string seconds, string retryAfter)
    {
        using var response = await _http.SendAsync(HttpMethod.Get, $"/api/away/{seconds}");

        var problem = await response.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
        Assert.Equal(retryAfter, response.Headers.RetryAfter?.ToString());
        Assert.Equal("urn:test:away", problem.GetProperty("type").GetString());
        Assert.Equal("Away", problem.GetProperty("title").GetString());
        Assert.Equal("The store does not answer.", problem.GetProperty("detail").GetString());
        Assert.DoesNotContain("10.0.0.7", problem.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Internal_error_returns_500_without_its_message()
    {
        using var broken = await _http.SendAsync(HttpMethod.Get, "/api/broken");
        using var verb = await _http.SendAsync(HttpMethod.Post, "/api/broken", "{}");
        using var nowhere = await _http.SendAsync(HttpMethod.Get, "/api/nowhere");

        var problem = await broken.ReadProblemAsync(HttpStatusCode.InternalServerError);
        Assert.DoesNotContain("secret", problem.ToString(), StringComparison.Ordinal);
        _logs.AssertContains("Error ", "secret");
        await verb.ReadProblemAsync(HttpStatusCode.MethodNotAllowed);
        await nowhere.ReadProblemAsync(HttpStatusCode.NotFound);
        Assert.Empty(nowhere.Headers.Server); // The server does not identify itself.
    }

    [Fact]
    public void Framework_logs_only_warnings_by_default()
    {
        Assert.Equal("Warning", _app.Configuration["Logging:LogLevel:Microsoft.AspNetCore"]);
        Assert.Equal("Error", _app.Configuration["Logging:LogLevel:Microsoft.AspNetCore.Routing"]);
        Assert.Equal("None", _app.Configuration["Logging:LogLevel:Microsoft.Extensions.Diagnostics.HealthChecks"]);
        var builder = WebApplication.CreateSlimBuilder(["--Logging:LogLevel:Microsoft.AspNetCore=Debug"]);
        builder.AddServiceDefaults("test");
        Assert.Equal("Debug", builder.Configuration["Logging:LogLevel:Microsoft.AspNetCore"]);
    }

    private async Task<(HttpStatusCode Code, string? Status, string? Description)> ReadyAsync()
    {
        using var response = await _http.SendAsync(HttpMethod.Get, "/health/ready");
        var report = await response.ReadAsync<JsonElement>(response.StatusCode);
        var store = report.GetProperty("checks").GetProperty("store");
        Assert.Equal(store.GetProperty("status").GetString(), report.GetProperty("status").GetString());
        return (
            response.StatusCode,
            store.GetProperty("status").GetString(),
            store.GetProperty("description").GetString()
        );
    }

    private static DependencyUnavailableException Away(TimeSpan retryAfter) =>
        new("urn:test:away", "Away", "The store does not answer.", retryAfter, operatorMessage: "driver at 10.0.0.7");
}
