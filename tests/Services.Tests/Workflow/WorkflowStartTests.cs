namespace DroneDelivery.Services.Tests.Workflow;

/// <summary>A mistake in the settings ends the process with one line that names the setting.</summary>
public sealed class WorkflowStartTests
{
    [Theory]
    [InlineData("Workflow:MaxConcurrentCalls", "0", "Workflow:MaxConcurrentCalls")]
    [InlineData("Workflow:MaxConcurrentCalls", "many", "Workflow:MaxConcurrentCalls")]
    [InlineData("Workflow:PrefetchCount", "-1", "Workflow:PrefetchCount")]
    [InlineData("Workflow:PrefetchCount", "19", "below Workflow:MaxConcurrentCalls")]
    [InlineData("Workflow:MaxAutoLockRenewalDuration", "-00:00:01", "Workflow:MaxAutoLockRenewalDuration")]
    [InlineData("Workflow:FailurePolicy", "Ignore", "Workflow:FailurePolicy")]
    [InlineData("Workflow:AbandonDelay", "01:00:00", "Workflow:AbandonDelay")]
    [InlineData("Workflow:PostponeDelay", "00:00:00", "Workflow:PostponeDelay")]
    [InlineData("Workflow:MaxConcurrency", "20", "MaxConcurrency")]
    [InlineData("Resilience:ConcurrencyLimit", "19", "below Workflow:MaxConcurrentCalls")]
    [InlineData("Resilience:ConcurrencyLimit", "23", "4 of the supervisor")]
    [InlineData("ServiceBus:ConnectionString", "nonsense", "ServiceBus:ConnectionString")]
    [InlineData("Services:package:0", "nowhere", "Services:package:0")]
    public async Task A_wrong_setting_is_named(string setting, string value, string message)
    {
        var settings = new Dictionary<string, string?>
        {
            ["ServiceBus:ConnectionString"] =
                "Endpoint=sb://localhost:5672;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true",
            [setting] = value,
        };
        await using var process = ServiceProcess.Start("Workflow", settings);

        Assert.Equal(1, await process.ExitCodeAsync());
        Assert.Contains(message, process.Errors, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", process.Errors, StringComparison.Ordinal);
    }
}
