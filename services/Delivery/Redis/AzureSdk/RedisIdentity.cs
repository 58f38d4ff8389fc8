using Azure.Identity;
using StackExchange.Redis;

namespace DroneDelivery.Delivery.Redis;

/// <summary>Log-in with the identity of the process, as Azure Managed Redis wants it where access keys are off.</summary>
internal static class RedisIdentity
{
    public const bool IsSupported = true;

    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    /// <summary>Gives the connection its first token, however long that takes, and keeps renewing it.</summary>
    public static async Task LogInAsync(ConfigurationOptions configuration, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                await configuration.ConfigureForAzureWithTokenCredentialAsync(new DefaultAzureCredential());
                return;
            }
            catch (Exception exception) when (IsRefusal(exception))
            {
                // The identity may be younger than the pod; meanwhile every command fails with a time-out, and readiness says so.
                await Task.Delay(RetryAfter, cancellationToken);
            }
        }
    }

    // After tries of its own the library throws a plain Exception, with the refusal inside.
    private static bool IsRefusal(Exception? exception) =>
        exception is AuthenticationFailedException || (exception is not null && IsRefusal(exception.InnerException));
}
