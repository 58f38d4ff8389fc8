using System.Globalization;
using System.Net.Sockets;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>One AMQP connection, and the tokens that the broker was shown on it: one per entity, renewed before they expire.</summary>
internal sealed class AuthorizedConnection : IAsyncDisposable
{
    private static readonly TimeSpan RenewalMargin = TimeSpan.FromMinutes(7);
    private static readonly TimeSpan ShortestRenewal = TimeSpan.FromSeconds(30);
    private readonly Dictionary<string, DateTimeOffset> _expiries = [];
    private readonly SemaphoreSlim _gate = new(1);
    private readonly CancellationTokenSource _closing = new();
    private readonly ConnectionString _settings;
    private readonly TimeProvider _time;
    private readonly RequestResponse _claims;
    private readonly Task _renewals;

    private AuthorizedConnection(AmqpConnection amqp, RequestResponse claims, ConnectionString settings, TimeProvider time)
    {
        Amqp = amqp;
        _claims = claims;
        _settings = settings;
        _time = time;
        _renewals = RenewTokensAsync(_closing.Token);
    }

    public AmqpConnection Amqp { get; }

    public bool IsOpen => !Amqp.Closed.IsCompleted && _claims.IsOpen;

    public static async Task<AuthorizedConnection> OpenAsync(
        ConnectionString settings,
        AmqpConnectionOptions options,
        Uri address,
        CancellationToken cancellationToken)
    {
        var amqp = await ConnectAsync(settings, options, address, cancellationToken);
        try
        {
            var claims = await RequestResponse.OpenAsync(amqp, "$cbs", cancellationToken);
            return new AuthorizedConnection(amqp, claims, settings, options.TimeProvider);
        }
        catch
        {
            await amqp.CloseQuietlyAsync();
            throw;
        }
    }

    /// <summary>Shows the broker a token for the entity, unless it has seen one that is still good.</summary>
    public async Task AuthorizeAsync(string entityPath, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (!_expiries.TryGetValue(entityPath, out var expiry) || expiry <= _time.GetUtcNow() + RenewalMargin)
                _expiries[entityPath] = await PutTokenAsync(entityPath, cancellationToken);
        }
        catch (Exception error) when (error
            is not (OperationCanceledException or AmqpException or ServiceBusException { IsTransient: true }))
        {
            // Another renewal would be refused too, as for a queue that was deleted; who wants to use it again shows a token anew.
            _expiries.Remove(entityPath);
            throw;
        }
        finally
        {
            _gate.Release();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync();
        try
        {
            await _renewals;
        }
        finally
        {
            await Amqp.CloseQuietlyAsync();
            _closing.Dispose();
        }
    }

    private static async Task<AmqpConnection> ConnectAsync(
        ConnectionString settings,
        AmqpConnectionOptions options,
        Uri address,
        CancellationToken cancellationToken)
    {
        try
        {
            return await AmqpConnection.ConnectAsync(address.Host, address.Port, settings.UseTls, options, cancellationToken);
        }
        catch (Exception error) when (error is SocketException or IOException
            or AmqpException { Error.Condition.Value: not ErrorConditions.UnauthorizedAccess })
        {
            throw new ServiceBusException(
                $"No broker can be reached at {address.Host}:{address.Port}{(settings.UseTls ? " with TLS" : "")}: {error.Message}",
                ServiceBusFailureReason.ServiceCommunicationProblem,
                innerException: error);
        }
    }

    private async Task<DateTimeOffset> PutTokenAsync(string entityPath, CancellationToken cancellationToken)
    {
        var audience = $"sb://{_settings.FullyQualifiedNamespace}/{entityPath}";
        var signature = SharedAccessSignature.For(_settings, audience, _time);
        var answer = await _claims.AskAsync(
            new AmqpMessage
            {
                ApplicationProperties = new()
                {
                    ["operation"] = "put-token",
                    ["type"] = "servicebus.windows.net:sastoken",
                    ["name"] = audience,
                    ["expiration"] = signature.ExpiresAt,
                },
                Value = signature.Token,
            },
            cancellationToken);

        var properties = answer.ApplicationProperties ?? [];
        var status = Convert.ToInt32(properties.GetValueOrDefault("status-code") ?? 500, CultureInfo.InvariantCulture);
        return status is 200 or 202
            ? signature.ExpiresAt
            : throw ErrorTranslation.FromClaims(
                status,
                $"Put token failed. status-code: {status}, {properties.GetValueOrDefault("status-description")}",
                entityPath);
    }

    private async Task RenewTokensAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (IsOpen)
            {
                await Task.Delay(await UntilNextRenewalAsync(cancellationToken), _time, cancellationToken);
                foreach (var entityPath in await DueAsync(cancellationToken))
                    await RenewTokenAsync(entityPath, cancellationToken);
            }
        }
        catch (OperationCanceledException)
        {
            // The connection closes: its tokens need no renewal.
        }
    }

    private async Task RenewTokenAsync(string entityPath, CancellationToken cancellationToken)
    {
        try
        {
            await AuthorizeAsync(entityPath, cancellationToken);
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            // The broker closes the links whose token expires; they open anew with a fresh one, and that attempt reports the error.
        }
    }

    private async Task<TimeSpan> UntilNextRenewalAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            var next = _expiries.Count == 0 ? _time.GetUtcNow() + RenewalMargin + RenewalMargin : _expiries.Values.Min();
            var wait = next - RenewalMargin - _time.GetUtcNow();
            return wait > ShortestRenewal ? wait : ShortestRenewal;
        }
        finally
        {
            _gate.Release();
        }
    }

    private async Task<List<string>> DueAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            var due = _time.GetUtcNow() + RenewalMargin;
            return [.. _expiries.Where(entry => entry.Value <= due).Select(entry => entry.Key)];
        }
        finally
        {
            _gate.Release();
        }
    }
}
