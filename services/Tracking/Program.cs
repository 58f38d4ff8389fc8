using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Telemetry;
using DroneDelivery.Tracking;
using DroneDelivery.Tracking.Tables;
using DroneDelivery.Tracking.Writing;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("tracking");
builder.Services.IgnoreClientBaggage();
builder.Services.AddTables();
builder.Services.AddHitWriter(builder.Configuration);

var app = builder.Build();
app.MapServiceDefaults();
app.MapTracking();
return await app.RunServiceAsync();
