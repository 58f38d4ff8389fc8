namespace Azure.Messaging.ServiceBus.Administration;

public partial class ServiceBusAdministrationClient
{
    private const string SubscriptionKind = "subscription";

    public virtual Task<Response<SubscriptionProperties>> CreateSubscriptionAsync(
        string topicName, string subscriptionName, CancellationToken cancellationToken = default) =>
        CreateSubscriptionAsync(new CreateSubscriptionOptions(topicName, subscriptionName), cancellationToken);

    /// <summary>With a rule that lets every message through.</summary>
    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityAlreadyExists"/>.</exception>
    public virtual Task<Response<SubscriptionProperties>> CreateSubscriptionAsync(
        CreateSubscriptionOptions options, CancellationToken cancellationToken = default) =>
        CreateSubscriptionAsync(options, new CreateRuleOptions(), cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityAlreadyExists"/>.</exception>
    public virtual Task<Response<SubscriptionProperties>> CreateSubscriptionAsync(
        CreateSubscriptionOptions options, CreateRuleOptions rule, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(rule);
        return PutSubscriptionAsync(new SubscriptionProperties(options), new RuleProperties(rule), update: false, cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<SubscriptionProperties>> UpdateSubscriptionAsync(
        SubscriptionProperties subscription, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(subscription);
        return PutSubscriptionAsync(subscription, rule: null, update: true, cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<SubscriptionProperties>> GetSubscriptionAsync(
        string topicName, string subscriptionName, CancellationToken cancellationToken = default) =>
        GetAsync(
            EntityPaths.Subscription(topicName, subscriptionName),
            enrich: false,
            SubscriptionKind,
            SubscriptionDescription.Root,
            (name, description) => SubscriptionDescription.Properties(topicName, name, description),
            cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<SubscriptionRuntimeProperties>> GetSubscriptionRuntimePropertiesAsync(
        string topicName, string subscriptionName, CancellationToken cancellationToken = default) =>
        GetAsync(
            EntityPaths.Subscription(topicName, subscriptionName),
            enrich: true,
            SubscriptionKind,
            SubscriptionDescription.Root,
            (name, description) => SubscriptionDescription.RuntimeProperties(topicName, name, description),
            cancellationToken);

    public virtual Task<Response<bool>> SubscriptionExistsAsync(
        string topicName, string subscriptionName, CancellationToken cancellationToken = default) =>
        ExistsAsync(EntityPaths.Subscription(topicName, subscriptionName), SubscriptionDescription.Root, cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response> DeleteSubscriptionAsync(
        string topicName, string subscriptionName, CancellationToken cancellationToken = default) =>
        DeleteAsync(EntityPaths.Subscription(topicName, subscriptionName), cancellationToken);

    public virtual AsyncPageable<SubscriptionProperties> GetSubscriptionsAsync(
        string topicName, CancellationToken cancellationToken = default) =>
        List(
            $"{topicName}/Subscriptions",
            enrich: false,
            SubscriptionDescription.Root,
            (name, description) => SubscriptionDescription.Properties(topicName, name, description),
            cancellationToken);

    public virtual AsyncPageable<SubscriptionRuntimeProperties> GetSubscriptionsRuntimePropertiesAsync(
        string topicName, CancellationToken cancellationToken = default) =>
        List(
            $"{topicName}/Subscriptions",
            enrich: true,
            SubscriptionDescription.Root,
            (name, description) => SubscriptionDescription.RuntimeProperties(topicName, name, description),
            cancellationToken);

    private async Task<Response<SubscriptionProperties>> PutSubscriptionAsync(
        SubscriptionProperties subscription, RuleProperties? rule, bool update, CancellationToken cancellationToken)
    {
        var path = EntityPaths.Subscription(subscription.TopicName, subscription.SubscriptionName);
        return Read(
            await PutAsync(path, SubscriptionDescription.Write(subscription, rule), update, cancellationToken),
            SubscriptionKind,
            path,
            SubscriptionDescription.Root,
            (name, description) => SubscriptionDescription.Properties(subscription.TopicName, name, description));
    }
}
