namespace DroneDelivery.ServiceDefaults;

/// <summary>
/// What the handling of a message waits for before it begins. By default nothing; a process may register a limit of its own.
/// </summary>
public interface IAdmission
{
    /// <summary>Completes when the work may begin.</summary>
    /// <exception cref="Exception">It may not: the work fails.</exception>
    ValueTask WaitAsync(CancellationToken cancellationToken);
}

/// <summary>The default.</summary>
internal sealed class ImmediateAdmission : IAdmission
{
    public ValueTask WaitAsync(CancellationToken cancellationToken) => ValueTask.CompletedTask;
}
