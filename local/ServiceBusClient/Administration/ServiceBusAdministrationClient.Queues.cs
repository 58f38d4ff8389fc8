namespace Azure.Messaging.ServiceBus.Administration;

public partial class ServiceBusAdministrationClient
{
    private const string QueueKind = "queue";

    public virtual Task<Response<QueueProperties>> CreateQueueAsync(string name, CancellationToken cancellationToken = default) =>
        CreateQueueAsync(new CreateQueueOptions(name), cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityAlreadyExists"/>.</exception>
    public virtual Task<Response<QueueProperties>> CreateQueueAsync(
        CreateQueueOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        return PutQueueAsync(new QueueProperties(options), update: false, cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<QueueProperties>> UpdateQueueAsync(QueueProperties queue, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(queue);
        return PutQueueAsync(queue, update: true, cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<QueueProperties>> GetQueueAsync(string name, CancellationToken cancellationToken = default) =>
        GetAsync(name, enrich: false, QueueKind, QueueDescription.Root, QueueDescription.Properties, cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response<QueueRuntimeProperties>> GetQueueRuntimePropertiesAsync(
        string name, CancellationToken cancellationToken = default) =>
        GetAsync(name, enrich: true, QueueKind, QueueDescription.Root, QueueDescription.RuntimeProperties, cancellationToken);

    public virtual Task<Response<bool>> QueueExistsAsync(string name, CancellationToken cancellationToken = default) =>
        ExistsAsync(name, QueueDescription.Root, cancellationToken);

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessagingEntityNotFound"/>.</exception>
    public virtual Task<Response> DeleteQueueAsync(string name, CancellationToken cancellationToken = default) =>
        DeleteAsync(name, cancellationToken);

    public virtual AsyncPageable<QueueProperties> GetQueuesAsync(CancellationToken cancellationToken = default) =>
        List("$Resources/queues", enrich: false, QueueDescription.Root, QueueDescription.Properties, cancellationToken);

    public virtual AsyncPageable<QueueRuntimeProperties> GetQueuesRuntimePropertiesAsync(CancellationToken cancellationToken = default) =>
        List("$Resources/queues", enrich: true, QueueDescription.Root, QueueDescription.RuntimeProperties, cancellationToken);

    private async Task<Response<QueueProperties>> PutQueueAsync(QueueProperties queue, bool update, CancellationToken cancellationToken) =>
        Read(
            await PutAsync(queue.Name, QueueDescription.Write(queue), update, cancellationToken),
            QueueKind,
            queue.Name,
            QueueDescription.Root,
            QueueDescription.Properties);
}
