namespace Azure.Messaging.ServiceBus.Administration;

public partial class ServiceBusAdministrationClient
{
    private const string TopicKind = "topic";

    public virtual Task<Response<TopicProperties>> CreateTopicAsync(string name, CancellationToken cancellationToken = default) =>
        CreateTopicAsync(new CreateTopicOptions(name), cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityAlreadyExists"/>.</exception>
    public virtual Task<Response<TopicProperties>> CreateTopicAsync(
        CreateTopicOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        return PutTopicAsync(new TopicProperties(options), update: false, cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<TopicProperties>> UpdateTopicAsync(TopicProperties topic, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(topic);
        return PutTopicAsync(topic, update: true, cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<TopicProperties>> GetTopicAsync(string name, CancellationToken cancellationToken = default) =>
        GetAsync(name, enrich: false, TopicKind, TopicDescription.Root, TopicDescription.Properties, cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<TopicRuntimeProperties>> GetTopicRuntimePropertiesAsync(
        string name, CancellationToken cancellationToken = default) =>
        GetAsync(name, enrich: true, TopicKind, TopicDescription.Root, TopicDescription.RuntimeProperties, cancellationToken);

    public virtual Task<Response<bool>> TopicExistsAsync(string name, CancellationToken cancellationToken = default) =>
        ExistsAsync(name, TopicDescription.Root, cancellationToken);

    /// <summary>With its subscriptions and all their messages.</summary>
    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response> DeleteTopicAsync(string name, CancellationToken cancellationToken = default) =>
        DeleteAsync(name, cancellationToken);

    public virtual AsyncPageable<TopicProperties> GetTopicsAsync(CancellationToken cancellationToken = default) =>
        List("$Resources/topics", enrich: false, TopicDescription.Root, TopicDescription.Properties, cancellationToken);

    public virtual AsyncPageable<TopicRuntimeProperties> GetTopicsRuntimePropertiesAsync(CancellationToken cancellationToken = default) =>
        List("$Resources/topics", enrich: true, TopicDescription.Root, TopicDescription.RuntimeProperties, cancellationToken);

    private async Task<Response<TopicProperties>> PutTopicAsync(TopicProperties topic, bool update, CancellationToken cancellationToken) =>
        Read(
            await PutAsync(topic.Name, TopicDescription.Write(topic), update, cancellationToken),
            TopicKind,
            topic.Name,
            TopicDescription.Root,
            TopicDescription.Properties);
}
