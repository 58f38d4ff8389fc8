namespace Azure.Messaging.ServiceBus.Administration;

public partial class ServiceBusAdministrationClient
{
    private const string RuleKind = "rule";

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityAlreadyExists"/>.</exception>
    /// <exception cref="ArgumentException">The filter or the action is no SQL of the broker.</exception>
    public virtual Task<Response<RuleProperties>> CreateRuleAsync(
        string topicName, string subscriptionName, CreateRuleOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        return PutRuleAsync(topicName, subscriptionName, new RuleProperties(options), update: false, cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    /// <exception cref="ArgumentException">The filter or the action is no SQL of the broker.</exception>
    public virtual Task<Response<RuleProperties>> UpdateRuleAsync(
        string topicName, string subscriptionName, RuleProperties rule, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(rule);
        return PutRuleAsync(topicName, subscriptionName, rule, update: true, cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<RuleProperties>> GetRuleAsync(
        string topicName, string subscriptionName, string ruleName, CancellationToken cancellationToken = default) =>
        GetAsync(
            EntityPaths.Rule(topicName, subscriptionName, ruleName),
            enrich: false,
            RuleKind,
            RuleDescription.Root,
            RuleDescription.Properties,
            cancellationToken);

    public virtual Task<Response<bool>> RuleExistsAsync(
        string topicName, string subscriptionName, string ruleName, CancellationToken cancellationToken = default) =>
        ExistsAsync(EntityPaths.Rule(topicName, subscriptionName, ruleName), RuleDescription.Root, cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response> DeleteRuleAsync(
        string topicName, string subscriptionName, string ruleName, CancellationToken cancellationToken = default) =>
        DeleteAsync(EntityPaths.Rule(topicName, subscriptionName, ruleName), cancellationToken);

    public virtual AsyncPageable<RuleProperties> GetRulesAsync(
        string topicName, string subscriptionName, CancellationToken cancellationToken = default) =>
        List(
            $"{EntityPaths.Subscription(topicName, subscriptionName)}/Rules",
            enrich: false,
            RuleDescription.Root,
            RuleDescription.Properties,
            cancellationToken);

    private async Task<Response<RuleProperties>> PutRuleAsync(
        string topicName, string subscriptionName, RuleProperties rule, bool update, CancellationToken cancellationToken)
    {
        var path = EntityPaths.Rule(topicName, subscriptionName, rule.Name);
        return Read(
            await PutAsync(path, RuleDescription.Write(rule), update, cancellationToken),
            RuleKind,
            path,
            RuleDescription.Root,
            RuleDescription.Properties);
    }
}
