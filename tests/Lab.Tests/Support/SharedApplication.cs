namespace DroneDelivery.Lab.Tests.Support;

/// <summary>
/// An application that several tests share, one at a time. Each test gets it with its own settings: only replicas that
/// differ are restarted. It starts when the first test uses it.
/// </summary>
public abstract class SharedApplication(string environment, bool keepsMessages) : IAsyncDisposable
{
    private RunningApplication? _running;

    /// <returns>The application with these settings, an empty queue, and an empty Redis.</returns>
    internal async Task<RunningApplication> WithAsync(params string[] knobs)
    {
        // A crash stays recorded.
        if (_running is { Application.Crashed.IsCompleted: true })
            await DisposeAsync();

        if (_running is not null)
        {
            await _running.ChangeAsync(knobs);
            return _running;
        }

        _running = await RunningApplication.StartAsync(environment, knobs, plan =>
            plan with
            {
                KeepsMessages = keepsMessages,
            }
        );
        return _running;
    }

    public async ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        if (_running is null)
            return;
        await _running.DisposeAsync();
        _running = null;
    }
}

/// <summary>
/// Runs on virtual nodes with emulated latency. Messages survive the broker's process, as with <c>lab up</c>.
/// </summary>
[CollectionDefinition]
public sealed class EmulatedApplication()
    : SharedApplication("azure-2020", keepsMessages: true),
        ICollectionFixture<EmulatedApplication>;

/// <summary>Runs without emulation.</summary>
[CollectionDefinition]
public sealed class PlainApplication()
    : SharedApplication("none", keepsMessages: false),
        ICollectionFixture<PlainApplication>;
