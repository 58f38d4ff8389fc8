using System.Runtime.CompilerServices;
using Azure.Messaging.ServiceBus.Administration;

namespace Azure.Messaging.ServiceBus;

/// <summary>The rules of one subscription.</summary>
public class ServiceBusRuleManager : IAsyncDisposable
{
    private const int PageSize = 100;
    private readonly BusConnection _connection = null!;
    private readonly Management _management = null!;
    private readonly BusDiagnostics _diagnostics = null!;
    private readonly Retries _retries = null!;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusRuleManager()
    {
    }

    internal ServiceBusRuleManager(BusConnection connection, string subscriptionPath)
    {
        _connection = connection;
        SubscriptionPath = subscriptionPath;
        FullyQualifiedNamespace = connection.FullyQualifiedNamespace;
        _management = new Management(connection, subscriptionPath);
        _diagnostics = new BusDiagnostics(FullyQualifiedNamespace, subscriptionPath);
        _retries = connection.NewRetries();
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string SubscriptionPath { get; } = "";

    public virtual bool IsClosed { get; private set; }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityAlreadyExists"/>.</exception>
    public virtual Task CreateRuleAsync(string ruleName, RuleFilter filter, CancellationToken cancellationToken = default) =>
        CreateRuleAsync(new CreateRuleOptions(ruleName, filter), cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityAlreadyExists"/>.</exception>
    /// <exception cref="ArgumentException">The filter or the action is no SQL of the broker.</exception>
    public virtual async Task CreateRuleAsync(CreateRuleOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        var description = RuleConversion.ToAmqp(options);
        await RunAsync(
            "ServiceBusRuleManager.CreateRule",
            static async (call, ct) =>
            {
                await call.This._management.AddRuleAsync(call.Name, call.description, ct);
                return true;
            },
            (This: this, options.Name, description),
            cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual async Task DeleteRuleAsync(string ruleName, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(ruleName);
        await RunAsync(
            "ServiceBusRuleManager.DeleteRule",
            static async (call, ct) =>
            {
                await call.This._management.RemoveRuleAsync(call.ruleName, ct);
                return true;
            },
            (This: this, ruleName),
            cancellationToken);
    }

    /// <summary>In the order in which they were added.</summary>
    public virtual async IAsyncEnumerable<RuleProperties> GetRulesAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (var skip = 0; ;)
        {
            var page = await RunAsync(
                "ServiceBusRuleManager.GetRules",
                static async (call, ct) =>
                    (await call.This._management.RulesAsync(call.skip, PageSize, ct)).ConvertAll(RuleConversion.FromAmqp),
                (This: this, skip),
                cancellationToken);
            foreach (var rule in page)
                yield return rule;
            skip += page.Count;
            if (page.Count < PageSize)
                yield break;
        }
    }

    public virtual async Task CloseAsync(CancellationToken cancellationToken = default)
    {
        IsClosed = true;
        if (_management is not null)
            await _management.DisposeAsync();
    }

    public virtual async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }

    private Task<T> RunAsync<TState, T>(
        string activity, Func<TState, CancellationToken, Task<T>> operation, TState state, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(IsClosed || _connection.IsClosed, this);
        return _diagnostics.RunAsync(
            activity,
            about: default(ServiceBusReceivedMessage),
            static call => call.This._retries.RunAsync(call.operation, call.state, call.This.SubscriptionPath, call.cancellationToken),
            (This: this, operation, state, cancellationToken));
    }
}
