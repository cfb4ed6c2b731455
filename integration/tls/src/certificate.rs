//! A certificate for localhost, and configurations with it.

use anyhow::{Context, Result};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ProtocolVersion, RootCertStore, ServerConfig, SupportedProtocolVersion};
use std::sync::Arc;

/// A certificate that has signed itself, with its key.
pub struct Certificate {
    der: CertificateDer<'static>,
    key: Vec<u8>,
    /// The certificate as PEM.
    pub pem: String,
    /// The key as PEM.
    pub key_pem: String,
}

impl Certificate {
    /// With a key for ECDSA on P-256, or with one for RSA.
    pub fn new(rsa: bool) -> Result<Self> {
        let key = KeyPair::generate_for(if rsa { &PKCS_RSA_SHA256 } else { &PKCS_ECDSA_P256_SHA256 })?;
        let certificate = rcgen::CertificateParams::new(["localhost".to_owned()])?.self_signed(&key)?;
        Ok(Self {
            der: certificate.der().clone(),
            key: key.serialize_der(),
            pem: certificate.pem(),
            key_pem: key.serialize_pem(),
        })
    }

    /// A server that shows it.
    pub fn server(&self, provider: CryptoProvider, version: ProtocolVersion) -> Result<ServerConfig> {
        let key = PrivatePkcs8KeyDer::from(self.key.clone());
        Ok(ServerConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[supported(version)?])?
            .with_no_client_auth()
            .with_single_cert(vec![self.der.clone()], key.into())?)
    }

    /// A client that trusts it.
    pub fn client(&self, provider: CryptoProvider, version: ProtocolVersion) -> Result<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone())?;
        Ok(ClientConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[supported(version)?])?
            .with_root_certificates(roots)
            .with_no_client_auth())
    }
}

fn supported(version: ProtocolVersion) -> Result<&'static SupportedProtocolVersion> {
    [&TLS12, &TLS13].into_iter().find(|has| has.version == version).context("no such version")
}
