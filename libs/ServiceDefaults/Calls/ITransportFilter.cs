namespace DroneDelivery.ServiceDefaults.Calls;

/// <summary>
/// Wraps the transport of calls to other services, below the pipeline that repeats them: the wrapper sees each attempt. None is registered
/// by default.
/// </summary>
public interface ITransportFilter
{
    /// <returns>A handler that sends with <paramref name="transport"/>, or the transport itself.</returns>
    HttpMessageHandler Wrap(HttpMessageHandler transport);
}
