using DroneDelivery.ServiceDefaults;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class ServiceRunTests
{
    [Fact]
    public async Task Exit_code_is_1_when_a_background_service_has_failed()
    {
        var app = LocalServer.Build(builder =>
        {
            builder.AddServiceDefaults("test");
            builder.Services.AddHostedService<FailingWorker>();
        });

        Assert.Equal(1, await app.RunServiceAsync(cancellationToken: Cancelled));
    }

    private sealed class FailingWorker(IHostApplicationLifetime lifetime) : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            var started = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            await using var registration = lifetime.ApplicationStarted.Register(() => started.TrySetResult());
            await started.Task;
            throw new InvalidOperationException("Requested by the test.");
        }
    }
}
