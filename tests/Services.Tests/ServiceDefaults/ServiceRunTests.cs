using DroneDelivery.ServiceDefaults;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class ServiceRunTests
{
    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public async Task Exit_code_is_1_when_a_background_service_has_failed(bool fails, int exitCode)
    {
        var app = LocalServer.Build(builder =>
        {
            builder.AddServiceDefaults("test");
            builder.Services.AddHostedService(provider => new Worker(
                fails,
                provider.GetRequiredService<IHostApplicationLifetime>()
            ));
        });

        Assert.Equal(exitCode, await app.RunServiceAsync(Cancelled));
    }

    /// <summary>Ends the process once it has started.</summary>
    private sealed class Worker(bool fails, IHostApplicationLifetime lifetime) : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            await using var registration = lifetime.ApplicationStarted.Register(() => started.TrySetResult());
            await started.Task;
            if (fails)
                throw new InvalidOperationException("As the test wants it.");
            lifetime.StopApplication();
        }
    }
}
